/** Name of the asset with the typeface, which `npm run typeface` makes. */
export const typeface = 'inter.woff2'

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

@font-face {
  font-family: "Inter Fallback";
  src: local("Arial"), local("Liberation Sans"), local("Arimo");
  size-adjust: 107.12%;
  ascent-override: 90.44%;
  descent-override: 22.52%;
  line-gap-override: 0%;
}
`
