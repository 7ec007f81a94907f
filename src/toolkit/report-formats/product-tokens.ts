// Written by `npm run generate` from the dashboard's tokens.css. Do not edit.

/** Colours, sizes and font stacks of the product's pages, for light and dark themes. */
export const productTokens = `/*
 * Sizes and spaces come from the scales below, colours from the two themes. Text has three levels of emphasis: ink,
 * quiet, and faint for lines only. Buttons have three: filled, outlined (quiet) and plain links.
 */

:root {
  color-scheme: light dark;
  --paper: light-dark(#f8f9fb, #0d1116);
  --raised: light-dark(#ffffff, #151a21);
  --sunken: light-dark(#f1f3f6, #1b2028);
  --ink: light-dark(#151a21, #e8ecf1);
  --quiet: light-dark(#565f6b, #a3adb9);
  --line: light-dark(#dfe3e8, #2b323c);
  --edge: light-dark(#7c8794, #76818e);
  --good: light-dark(#14692f, #7fd69a);
  --good-paper: light-dark(#e5f4e9, #14291b);
  --bad: light-dark(#a4211b, #ff9c93);
  --bad-paper: light-dark(#fdecea, #321816);
  --warn: light-dark(#7d5200, #efb94f);
  /* The series of charts, which contrast with each other and with the background. */
  --colour-1: light-dark(#2f7fd1, #6aa9f0);
  --colour-2: light-dark(#b8860b, #d9ab3f);
  --colour-3: light-dark(#8250c4, #b693ee);
  --colour-4: light-dark(#c9372c, #ff8579);
  --shadow: 0 1px 2px light-dark(rgb(16 24 40 / 0.05), transparent);
  --space-1: 0.25rem;
  --space-2: 0.5rem;
  --space-3: 0.75rem;
  --space-4: 1rem;
  --space-5: 1.5rem;
  --space-6: 2.5rem;
  --space-7: 4rem;
  --size-1: 0.8125rem;
  --size-2: 0.875rem;
  --size-3: 0.9375rem;
  --size-4: 1.125rem;
  --size-5: 1.5rem;
  --size-6: clamp(2rem, 1.4rem + 2.2vw, 2.75rem);
  --sans:
    Inter, "Inter Fallback", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans",
    sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --round: 8px;
  --round-card: 12px;
  --wide: 72rem;
}

/* The theme that the visitor has chosen. Without a choice, the system's. */
:root[data-theme="light"] {
  color-scheme: light;
}

:root[data-theme="dark"] {
  color-scheme: dark;
}

:root {
  --accent: light-dark(#2456e6, #8fa9f2);
  --on-accent: light-dark(#ffffff, #0b0f14);
}
`
