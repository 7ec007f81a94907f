/** Name of the asset with the typeface, which `npm run typeface` makes. */
export const typeface = 'inter.woff2'

/** Inter's ascent and descent, as fractions of the font size (its `hhea` table). */
const ascent = 0.96875
const descent = 0.2412

/**
 * The faces of the fallback, by weight. The scale is the width of our pages' words in Inter divided by their width in
 * Arimo, at their sizes. Arial and Liberation Sans have the same widths. Headings use the bold face: scaled regular
 * letters have other widths, and lines would break at other words.
 */
const fallbackFaces = [
  { weights: '400', style: '', scale: 1.062 },
  { weights: '500 550', style: '', scale: 1.109 },
  { weights: '600 700', style: ' Bold', scale: 1.044 },
] as const

/** Full names of the faces; the regular one of Arimo has two, depending on its version. */
const names = (style: '' | ' Bold'): string =>
  [`Arial${style}`, `Liberation Sans${style}`, `Arimo${style}`, ...(style === '' ? ['Arimo Regular'] : [])]
    .map((name) => `local("${name}")`)
    .join(', ')

const percent = (part: number): string => `${(part * 100).toFixed(2)}%`

const fallbackFace = ({ weights, style, scale }: (typeof fallbackFaces)[number]): string => `
@font-face {
  font-family: "Inter Fallback";
  font-weight: ${weights};
  src: ${names(style)};
  size-adjust: ${percent(scale)};
  ascent-override: ${percent(ascent / scale)};
  descent-override: ${percent(descent / scale)};
  line-gap-override: 0%;
}
`

/**
 * The style sheet of the typeface. Until it arrives, and for letters that it lacks, pages use the system's. Where that
 * is Arial or a typeface of its widths, it is scaled to the widths and heights of Inter, so that text does not move.
 * @param href URL of the typeface
 */
export const typefaceStyles = (href: string): string => `@font-face {
  font-family: Inter;
  font-weight: 400 700;
  font-display: swap;
  src: url("${href}") format("woff2");
}
${fallbackFaces.map(fallbackFace).join('')}`
