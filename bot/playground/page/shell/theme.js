// Light, dark, or as the system is; kept in this browser.

import { keep, remembered } from "../state/storage.js";

const NAME = "parley/theme";
const ORDER = ["system", "light", "dark"];
export const ICONS = { system: "system", light: "sun", dark: "moon" };

export function themeNow() {
  const kept = remembered(NAME, "system");
  return ORDER.includes(kept) ? kept : "system";
}

export function applyTheme() {
  const theme = themeNow();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function nextTheme() {
  keep(NAME, ORDER[(ORDER.indexOf(themeNow()) + 1) % ORDER.length]);
  applyTheme();
}
