import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { settingsSchema } from '../../src/service/gateway/app/config/settings-schema.js'
import { accentStyles } from '../../src/service/gateway/dashboard/product/accent-colours.js'
import { typeface, typefaceStyles } from '../../src/service/gateway/dashboard/product/typeface.js'

const assets = new URL('../../src/service/gateway/dashboard/assets/', import.meta.url)

/** File of the typeface, which the style sheet expects in its folder. */
export const typefaceFile = { name: typeface, path: fileURLToPath(new URL(typeface, assets)) }

/** Returns the style sheet of the site: VitePress's variables, with the colours and typefaces of the service. */
export async function siteStyle(): Promise<string> {
  return `${await productStyle(`./${typeface}`)}\n${variables}`
}

/**
 * Returns the colours, sizes and typefaces of the service with default settings.
 * @param href URL of the typeface
 */
export async function productStyle(href: string): Promise<string> {
  const tokens = await readFile(new URL('tokens.css', assets), 'utf8')
  const { default: accent } = settingsSchema.properties.product.properties.accentColour
  return `${typefaceStyles(href)}\n${tokens}\n${accentStyles(accent)}`
}

/** The switch of VitePress sets the class `dark`. */
const variables = `:root:not(.dark) {
  color-scheme: light;
}

:root.dark {
  color-scheme: dark;
}

:root,
:root.dark {
  --vp-c-bg: var(--raised);
  --vp-c-bg-alt: var(--paper);
  --vp-c-bg-elv: var(--raised);
  --vp-c-bg-soft: var(--sunken);
  --vp-c-border: var(--edge);
  --vp-c-divider: var(--line);
  --vp-c-gutter: var(--line);
  --vp-c-text-1: var(--ink);
  --vp-c-text-2: var(--quiet);
  --vp-c-text-3: var(--quiet);
  --vp-c-brand-1: var(--accent);
  --vp-c-brand-2: var(--accent);
  --vp-c-brand-3: var(--accent);
  --vp-c-brand-soft: color-mix(in srgb, var(--accent) 14%, transparent);
  --vp-button-brand-text: var(--on-accent);
  --vp-code-bg: var(--sunken);
  --vp-code-block-bg: var(--sunken);
  --vp-code-color: var(--ink);
  --vp-font-family-base: var(--sans);
  --vp-font-family-mono: var(--mono);
}

.vp-doc h1,
.vp-doc h2,
.vp-doc h3 {
  font-weight: 650;
  letter-spacing: -0.015em;
}

/* The name of the button is its text. */
.DocSearch-Button-Keys {
  display: none !important;
}

/* Names and values of tables are scrolled, never broken. */
.vp-doc table code {
  white-space: nowrap;
}

/* Fingers need targets of 44 px (WCAG 2.2, 2.5.5). */
@media (pointer: coarse) {
  .VPSidebarItem .link,
  .VPNavScreenMenuLink,
  .VPLocalNav .menu,
  .VPLocalNavOutlineDropdown button {
    display: flex;
    align-items: center;
    min-height: 2.75rem;
  }
}
`
