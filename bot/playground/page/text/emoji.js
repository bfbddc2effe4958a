// The emoji that people name most, by Slack's names; any other name stays as it was written.

import { el } from "../dom.js";

const NAMED = /:([a-z0-9_+-]{1,60})(?:::skin-tone-([2-6]))?:/y;
const SKIN_TONES = { 2: "\u{1f3fb}", 3: "\u{1f3fc}", 4: "\u{1f3fd}", 5: "\u{1f3fe}", 6: "\u{1f3ff}" };

const TABLE = `
smile 😄 smiley 😃 grinning 😀 grin 😁 laughing 😆 satisfied 😆 sweat_smile 😅 joy 😂 rofl 🤣 slightly_smiling_face 🙂
upside_down_face 🙃 wink 😉 blush 😊 innocent 😇 heart_eyes 😍 star-struck 🤩 kissing_heart 😘 yum 😋 stuck_out_tongue 😛
stuck_out_tongue_winking_eye 😜 zany_face 🤪 hugging_face 🤗 thinking_face 🤔 thinking 🤔 zipper_mouth_face 🤐
neutral_face 😐 expressionless 😑 no_mouth 😶 smirk 😏 unamused 😒 face_with_rolling_eyes 🙄 grimacing 😬 relieved 😌
pensive 😔 sleepy 😪 sleeping 😴 mask 😷 nerd_face 🤓 sunglasses 😎 confused 😕 worried 😟 slightly_frowning_face 🙁
open_mouth 😮 astonished 😲 flushed 😳 pleading_face 🥺 cry 😢 sob 😭 scream 😱 disappointed 😞 sweat 😓 weary 😩
tired_face 😫 triumph 😤 rage 😡 angry 😠 exploding_head 🤯 partying_face 🥳 shushing_face 🤫 face_with_monocle 🧐
robot_face 🤖 robot 🤖 ghost 👻 skull 💀 alien 👽 poop 💩 clown_face 🤡 see_no_evil 🙈 hear_no_evil 🙉 speak_no_evil 🙊
wave 👋 raised_hand ✋ hand ✋ ok_hand 👌 v ✌️ crossed_fingers 🤞 point_left 👈 point_right 👉 point_up_2 👆
point_down 👇 point_up ☝️ +1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 fist ✊ facepunch 👊 punch 👊 clap 👏 raised_hands 🙌
open_hands 👐 handshake 🤝 pray 🙏 writing_hand ✍️ muscle 💪 eyes 👀 eye 👁️ brain 🧠 speech_balloon 💬
thought_balloon 💭 bust_in_silhouette 👤 busts_in_silhouette 👥 shrug 🤷 man-shrugging 🤷‍♂️ woman-shrugging 🤷‍♀️
facepalm 🤦 salute 🫡 saluting_face 🫡 bow 🙇 technologist 🧑‍💻 detective 🕵️ ninja 🥷 heart ❤️ orange_heart 🧡
yellow_heart 💛 green_heart 💚 blue_heart 💙 purple_heart 💜 black_heart 🖤 broken_heart 💔 sparkling_heart 💖 100 💯
anger 💢 boom 💥 collision 💥 dizzy 💫 sweat_drops 💦 dash 💨 zzz 💤 fire 🔥 sparkles ✨ star ⭐ star2 🌟 zap ⚡ sunny ☀️
partly_sunny ⛅ cloud ☁️ rain_cloud 🌧️ snowflake ❄️ rainbow 🌈 ocean 🌊 earth_africa 🌍 earth_americas 🌎
globe_with_meridians 🌐 moon 🌔 crescent_moon 🌙 tada 🎉 confetti_ball 🎊 balloon 🎈 gift 🎁 trophy 🏆 medal 🏅
first_place_medal 🥇 second_place_medal 🥈 third_place_medal 🥉 dart 🎯 art 🎨 game_die 🎲 musical_note 🎵 guitar 🎸
soccer ⚽ basketball 🏀 rocket 🚀 airplane ✈️ car 🚗 bike 🚲 train 🚆 ship 🚢 construction 🚧 rotating_light 🚨
traffic_light 🚥 house 🏠 office 🏢 hospital 🏥 bank 🏦 world_map 🗺️ coffee ☕ tea 🍵 beer 🍺 beers 🍻 wine_glass 🍷
champagne 🍾 pizza 🍕 hamburger 🍔 cake 🍰 birthday 🎂 cookie 🍪 doughnut 🍩 apple 🍎 banana 🍌 avocado 🥑 taco 🌮
popcorn 🍿 chocolate_bar 🍫 seedling 🌱 evergreen_tree 🌲 deciduous_tree 🌳 palm_tree 🌴 cactus 🌵 four_leaf_clover 🍀
rose 🌹 sunflower 🌻 maple_leaf 🍁 dog 🐶 cat 🐱 mouse 🐭 bear 🐻 panda_face 🐼 tiger 🐯 lion_face 🦁 cow 🐮 pig 🐷 frog 🐸
monkey 🐒 chicken 🐔 penguin 🐧 bird 🐦 owl 🦉 fox_face 🦊 wolf 🐺 horse 🐴 unicorn_face 🦄 bee 🐝 bug 🐛 butterfly 🦋
snail 🐌 turtle 🐢 snake 🐍 octopus 🐙 crab 🦀 fish 🐟 dolphin 🐬 whale 🐳 dragon 🐉 sloth 🦥 elephant 🐘
white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ x ❌ heavy_multiplication_x ✖️
negative_squared_cross_mark ❎ warning ⚠️ no_entry ⛔ no_entry_sign 🚫 octagonal_sign 🛑 stop_sign 🛑 question ❓
grey_question ❔ exclamation ❗ heavy_exclamation_mark ❗ grey_exclamation ❕ bangbang ‼️ interrobang ⁉️
information_source ℹ️ heavy_plus_sign ➕ heavy_minus_sign ➖ recycle ♻️ arrow_right ➡️ arrow_left ⬅️ arrow_up ⬆️
arrow_down ⬇️ arrow_upper_right ↗️ arrow_lower_right ↘️ arrows_counterclockwise 🔄 arrows_clockwise 🔃
leftwards_arrow_with_hook ↩️ arrow_right_hook ↪️ new 🆕 ok 🆗 up 🆙 cool 🆒 free 🆓 sos 🆘 red_circle 🔴
large_orange_circle 🟠 large_yellow_circle 🟡 large_green_circle 🟢 large_blue_circle 🔵 large_purple_circle 🟣
black_circle ⚫ white_circle ⚪ large_red_square 🟥 large_green_square 🟩 large_yellow_square 🟨 small_red_triangle 🔺
small_blue_diamond 🔹 small_orange_diamond 🔸 white_small_square ▫️ black_small_square ▪️ zero 0️⃣ one 1️⃣ two 2️⃣
three 3️⃣ four 4️⃣ five 5️⃣ six 6️⃣ seven 7️⃣ eight 8️⃣ nine 9️⃣ keycap_ten 🔟 hash #️⃣ play_or_pause_button ⏯️
arrow_forward ▶️ double_vertical_bar ⏸️ black_square_for_stop ⏹️ fast_forward ⏩ rewind ⏪ repeat 🔁 computer 💻
desktop_computer 🖥️ keyboard ⌨️ printer 🖨️ iphone 📱 phone ☎️ telephone_receiver 📞 battery 🔋 electric_plug 🔌
bulb 💡 flashlight 🔦 wrench 🔧 hammer 🔨 hammer_and_wrench 🛠️ nut_and_bolt 🔩 gear ⚙️ toolbox 🧰 magnet 🧲 test_tube 🧪
microscope 🔬 telescope 🔭 satellite_antenna 📡 key 🔑 lock 🔒 unlock 🔓 closed_lock_with_key 🔐 shield 🛡️ bomb 💣
link 🔗 paperclip 📎 scissors ✂️ pushpin 📌 round_pushpin 📍 memo 📝 pencil 📝 pencil2 ✏️ mag 🔍 mag_right 🔎 book 📖
books 📚 bookmark 🔖 label 🏷️ newspaper 📰 scroll 📜 page_facing_up 📄 page_with_curl 📃 clipboard 📋 file_folder 📁
open_file_folder 📂 card_index_dividers 🗂️ file_cabinet 🗄️ wastebasket 🗑️ package 📦 inbox_tray 📥 outbox_tray 📤
email 📧 envelope ✉️ incoming_envelope 📨 mailbox 📫 postbox 📮 calendar 📅 date 📅 spiral_calendar_pad 🗓️
chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊 moneybag 💰 money_with_wings 💸 dollar 💵
euro 💶 credit_card 💳 receipt 🧾 ticket 🎫 bell 🔔 no_bell 🔕 mega 📣 loudspeaker 📢 speaker 🔈 mute 🔇 microphone 🎤
headphones 🎧 camera 📷 video_camera 📹 movie_camera 🎥 tv 📺 clapper 🎬 hourglass ⌛ hourglass_flowing_sand ⏳
stopwatch ⏱️ alarm_clock ⏰ clock1 🕐 clock12 🕛 watch ⌚ crystal_ball 🔮 gem 💎 crown 👑 tophat 🎩 eyeglasses 👓
briefcase 💼 handbag 👜 umbrella ☔ checkered_flag 🏁 triangular_flag_on_post 🚩 white_flag 🏳️ pirate_flag 🏴‍☠️ de 🇩🇪
flag-de 🇩🇪 us 🇺🇸 flag-us 🇺🇸 gb 🇬🇧 flag-gb 🇬🇧 fr 🇫🇷 jp 🇯🇵 flag-eu 🇪🇺
`;

const EMOJI = new Map(
  TABLE.trim()
    .split(/\s+/)
    .flatMap((word, at, all) => (at % 2 ? [] : [[word, all[at + 1]]])),
);

// What is written at this place, as { node, end }; null if it is no emoji that is known.
export function emojiAt(text, at) {
  NAMED.lastIndex = at;
  const found = NAMED.exec(text);
  const character = found && EMOJI.get(found[1]);
  if (!character) return null;
  return { node: emoji(found[1], found[2]), end: NAMED.lastIndex };
}

export function emoji(name, tone) {
  const character = EMOJI.get(name);
  if (!character) return document.createTextNode(`:${name}:`);
  const title = `:${name}:`;
  return el(
    "span",
    { class: "emoji", role: "img", "aria-label": name.replaceAll("_", " "), title },
    character + (SKIN_TONES[tone] ?? ""),
  );
}

// A plain text with its emoji: nothing else in it means anything.
export function withEmoji(text) {
  const drawn = [];
  let from = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    const found = emojiAt(text, at);
    if (!found) continue;
    drawn.push(text.slice(from, at), found.node);
    from = found.end;
    at = found.end - 1;
  }
  return [...drawn, text.slice(from)];
}
