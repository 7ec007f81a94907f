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
  return `${typefaceStyles(href)}\n${await productTokens()}`
}

/** Returns the colours, sizes and font stacks of the service with default settings: the one source of all pages. */
async function productTokens(): Promise<string> {
  const tokens = await readFile(new URL('tokens.css', assets), 'utf8')
  const { default: accent } = settingsSchema.properties.product.properties.accentColour
  return `${tokens}\n${accentStyles(accent)}`
}

/** Returns the module with the tokens for pages that are files: reports, and the reference. */
export async function tokensModule(): Promise<string> {
  return `// Written by \`npm run generate\` from the dashboard's tokens.css. Do not edit.

/** Colours, sizes and font stacks of the product's pages, for light and dark themes. */
export const productTokens = \`${await productTokens()}\`
`
}

/** The file of {@link tokensModule}. */
export const tokensFile = fileURLToPath(
  new URL('../../src/toolkit/report-formats/product-tokens.ts', import.meta.url),
)
/** The landing page: a sentence beside the picture, tutorials as cards, and the start. */
const landing = `.landing .VPDoc .container,
.landing .VPDoc .content,
.landing .VPDoc .content-container {
  max-width: 68rem !important;
}

.landing .vp-doc > div {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  column-gap: var(--space-7);
}

.landing h1 {
  margin-top: var(--space-4);
  font-size: var(--size-6);
  line-height: 1.1;
  letter-spacing: -0.03em;
  text-wrap: balance;
}

.landing h1 + p {
  margin: var(--space-4) 0 0;
  font-size: var(--size-4);
  line-height: 1.6;
  color: var(--quiet);
}

.landing h1 + p + p {
  display: flex;
  flex-wrap: wrap;
  gap: var(--space-3);
  margin: var(--space-5) 0;
}

.landing h1 + p + p a {
  display: inline-flex;
  align-items: center;
  min-height: 2.75rem;
  padding: 0 var(--space-4);
  border: 1px solid var(--edge);
  border-radius: var(--round);
  font-weight: 600;
  color: var(--ink);
  text-decoration: none;
}

.landing h1 + p + p a:first-child {
  border-color: var(--accent);
  background: var(--accent);
  color: var(--on-accent);
}

.landing .drawing {
  margin: 0 auto;
}

.landing .vp-doc > div > p,
.landing .vp-doc div[class*="language-"] {
  margin-block: var(--space-2);
}

.landing h2 {
  margin: var(--space-6) 0 var(--space-4);
  padding: 0;
  border: 0;
  font-size: var(--size-5);
}

.landing .vp-doc ul {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 14.5rem), 1fr));
  gap: var(--space-4);
  margin: 0;
  padding: 0;
  list-style: none;
}

.landing .vp-doc li {
  position: relative;
  margin: 0;
  padding: var(--space-5);
  border: 1px solid var(--line);
  border-radius: var(--round-card);
  box-shadow: var(--shadow);
}

.landing .vp-doc li:has(a:hover, a:focus-visible) {
  border-color: var(--accent);
}

.landing .vp-doc li p {
  margin: 0;
  font-size: var(--size-3);
  line-height: 1.55;
  color: var(--quiet);
}

.landing .vp-doc li p:first-child {
  margin-bottom: var(--space-2);
}

.landing .vp-doc li a {
  font-size: var(--size-4);
  font-weight: 650;
  text-decoration: none;
}

/* The whole card is the link. */
.landing .vp-doc li a::after {
  content: "";
  position: absolute;
  inset: 0;
}

@media (min-width: 960px) {
  .landing .vp-doc > div {
    grid-template-columns: minmax(0, 1fr) minmax(0, 26rem);
  }

  .landing .vp-doc > div > * {
    grid-column: 1 / -1;
  }

  .landing h1,
  .landing h1 + p,
  .landing h1 + p + p {
    grid-column: 1 !important;
  }

  .landing h1 {
    align-self: end;
  }

  .landing h1 + p + p {
    align-self: start;
  }

  .landing .vp-doc > div > p:has(.drawing) {
    grid-row: 1 / 4;
    grid-column: 2;
    align-self: center;
    margin: 0;
  }
}
`

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

/* The parts of the site are in the navigation; VitePress would also list them as languages. */
.VPNavBarTranslations,
.VPNavBarExtra .group.translations,
.VPNavScreenTranslations {
  display: none !important;
}

.drawing {
  display: block;
  width: 100%;
  max-width: 30rem;
  height: auto;
  margin: var(--space-5) 0;
}

${landing}
@media (prefers-reduced-motion: reduce) {
  *,
  ::before,
  ::after {
    transition: none !important;
  }
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
