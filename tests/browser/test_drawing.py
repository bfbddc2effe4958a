"""What Slack's own markup and Markdown become on the page: the tags, where links lead, and the words."""

import pytest

from tests.browser.sheet import Sheet

pytestmark = pytest.mark.asyncio(loop_scope="session")

MRKDWN = {
    "*b*": "<strong>b</strong>",
    "_i_": "<em>i</em>",
    "~s~": "<s>s</s>",
    "`c *x*`": "<code>c *x*</code>",
    "*_x_*": "<strong><em>x</em></strong>",
    "*a* and *b*": "<strong>a</strong> and <strong>b</strong>",
    "(*b*).": "(<strong>b</strong>).",
    '"*b*"': '"<strong>b</strong>"',
    "*a _b* c_": "<strong>a _b</strong> c_",
    "*b* c*": "<strong>b</strong> c*",
    "_a_b_": "<em>a_b</em>",
    # markers within words, doubled, across lines or beside spaces are only characters
    "a*b*": "a*b*",
    "*b*c": "*b*c",
    "é*b*": "é*b*",
    "snake_case_x": "snake_case_x",
    "**b**": "**b**",
    "*a\nb*": "*a<br>b*",
    "* a*": "* a*",
    "*a *": "*a *",
    "`a`b": "`a`b",
    "``": "``",
    "*": "*",
    # entities, and what looks like HTML
    "&lt;b&gt; &amp;lt;": "&lt;b&gt; &amp;lt;",
    "`&lt;b&gt;`": "<code>&lt;b&gt;</code>",
    "<b>x</b>": "&lt;b&gt;x&lt;/b&gt;",
    # quotes and code in lines of their own
    "> q\nx": "<blockquote>q</blockquote>x",
    "> a\n&gt; b": "<blockquote>a<br>b</blockquote>",
    ">>> a\nb": "<blockquote>a<br>b</blockquote>",
    "a > b": "a &gt; b",
    "1. a\n- b": "1. a<br>- b",
    "a\n```\nlet *x* = 1;\n```\nb": "a<pre><code>let *x* = 1;</code></pre>b",
    # links, and addresses that nobody has made one of
    "<https://a.b/|*l*>": '<a href="https://a.b/">*l*</a>',
    "*<https://a.b/|l>*": '<strong><a href="https://a.b/">l</a></strong>',
    "<mailto:a@b.c|mail>": '<a href="mailto:a@b.c">mail</a>',
    "see https://a.b/x_(y)?c=d&amp;e=f.": 'see <a href="https://a.b/x_(y)?c=d&e=f">https://a.b/x_(y)?c=d&amp;e=f</a>.',
    "<https://evil.example/|https://bank.com>": '<a href="https://evil.example/">https://bank.com</a> (evil.example)',
    "<javascript:alert(1)|x>": "x (javascript:alert(1))",
    "<JaVaScRiPt:alert(1)>": "JaVaScRiPt:alert(1) (JaVaScRiPt:alert(1))",
    "<data:text/html,y|x>": "x (data:text/html,y)",
    # people, channels, everyone, emoji, moments
    "<@U1>": "<button>@Ann Archer</button>",
    "<@U404>": "@U404",
    "<@U404|someone>": "@someone",
    "<#C1>": "<button>#release</button>",
    "<#C404|secret>": "#secret",
    "<!here> <!subteam^S1|@devs>": "@here @devs",
    ":tada: :+1::skin-tone-4: :nope: 10:30:45": "🎉 👍🏽 :nope: 10:30:45",
    "<!date^1763467200^{date_num} at {time}|x>": "<time>2025-11-18 at 12:00</time>",
    "<!date^soon^{date}|some day>": "some day",
}

MARKDOWN = {
    "**b** *i* ~~s~~ `c`": "<p><strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>",
    "***x***": "<p><em><strong>x</strong></em></p>",
    "**a *b* c**": "<p><strong>a <em>b</em> c</strong></p>",
    "**bold**text": "<p><strong>bold</strong>text</p>",
    "*a* *b*": "<p><em>a</em> <em>b</em></p>",
    "~a~": "<p><s>a</s></p>",
    "`` a`b ``": "<p><code>a`b</code></p>",
    # what is not closed, or within a word, or escaped, is only characters
    "a_b_c": "<p>a_b_c</p>",
    "**a": "<p>**a</p>",
    "~~a~": "<p>~~a~</p>",
    "`a": "<p>`a</p>",
    "\\*a\\*": "<p>*a*</p>",
    "&lt;b&gt; &amp;lt; &copy;": "<p>&lt;b&gt; &amp;lt; &amp;copy;</p>",
    "<b>x</b>": "<p>&lt;b&gt;x&lt;/b&gt;</p>",
    # headings below those of the page, rules, quotes, lines
    "# h #": "<h3>h</h3>",
    "### h": "<h5>h</h5>",
    "#no": "<p>#no</p>",
    "a\n===": "<h3>a</h3>",
    "---": "<hr>",
    "a  \nb": "<p>a<br>b</p>",
    "> a\n> b\n\nc": "<blockquote><p>a<br>b</p></blockquote><p>c</p>",
    # lists
    "- a\n- b": "<ul><li><p>a</p></li><li><p>b</p></li></ul>",
    "3. a": '<ol start="3"><li><p>a</p></li></ol>',
    "1. a\n  - b": "<ol><li><p>a</p><ul><li><p>b</p></li></ul></li></ol>",
    "- a\n\n  b\n- c": "<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>",
    "text\n- a": "<p>text</p><ul><li><p>a</p></li></ul>",
    "- [x] done\n- [ ] todo": "<ul><li><p>done</p></li><li><p>todo</p></li></ul>",
    # links, and pictures, which are drawn as links
    '[a](https://x.y/ "t")': '<p><a href="https://x.y/">a</a></p>',
    "[a](https://x.y/(b))": '<p><a href="https://x.y/(b)">a</a></p>',
    "[**a**](https://x.y/)": '<p><a href="https://x.y/"><strong>a</strong></a></p>',
    "[a [b](https://x.y/)": '<p>[a <a href="https://x.y/">b</a></p>',
    "*[a*](https://x.y/)": '<p>*<a href="https://x.y/">a*</a></p>',
    "[x][y]": "<p>[x][y]</p>",
    "**http://a.b**": '<p><strong><a href="http://a.b/">http://a.b</a></strong></p>',
    "![i](https://a.b/)": '<p><a href="https://a.b/">Image: i</a></p>',
    "[![i](https://a.b/)](https://c.d/)": '<p><a href="https://c.d/">Image: i</a></p>',
    "[https://bank.com](https://evil.example)": (
        '<p><a href="https://evil.example/">https://bank.com</a> (evil.example)</p>'
    ),
    "[a](javascript:1)": "<p>a (javascript:1)</p>",
    "[a](vbscript:1)": "<p>a (vbscript:1)</p>",
    "<@U1> <f@x.yz>": '<p><button>@Ann Archer</button> <a href="mailto:f@x.yz">f@x.yz</a></p>',
    # code and tables
    "```js\nlet a = '<b>' && 1;\n```\nc": "<pre><code>let a = '&lt;b&gt;' &amp;&amp; 1;</code></pre><p>c</p>",
    "```\nnot closed yet\n# x": "<pre><code>not closed yet\n# x</code></pre>",
    "    indented": "<pre><code>indented</code></pre>",
    "| a | b |\n|---|--:|\n| 1 | `x\\|y` | 3 |\n| z |": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>"
        '<tr><td>1</td><td><code>x|y</code></td></tr><tr><td>z</td><td colspan="1"></td></tr></tbody></table>'
    ),
}


@pytest.mark.parametrize("text", MRKDWN)
async def test_slacks_own_markup_means_what_it_means_in_slack(sheet: Sheet, text: str) -> None:
    assert await sheet.outline("mrkdwn", text) == MRKDWN[text]


@pytest.mark.parametrize("text", MARKDOWN)
async def test_markdown_means_what_it_means_elsewhere(sheet: Sheet, text: str) -> None:
    assert await sheet.outline("markdown", text) == MARKDOWN[text]
