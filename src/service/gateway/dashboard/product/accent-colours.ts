/** A colour as red, green and blue from 0 to 255. */
type Channels = readonly [number, number, number]

/** Colours of links and buttons in one theme. */
export interface AccentColours {
  /** The accent colour, readable as text on the surfaces of the theme. */
  readonly accent: string
  /** Text on the accent colour. */
  readonly onAccent: string
}

/**
 * For each theme: the surface of tokens.css with the least contrast to text, and the colour in whose direction contrast
 * grows. `least` is the contrast that WCAG 2.2 asks for, with room for rounding: 1.4.3 (AA), on dark surfaces 1.4.6 (AAA).
 */
export const surfaces = {
  light: { surface: '#f1f3f6', towards: '#000000', least: 4.6 },
  dark: { surface: '#1b2028', towards: '#ffffff', least: 7.1 },
} as const

const steps = 100
const onColours = ['#ffffff', '#0b0f14'] as const

/**
 * Returns the colours of a theme for an accent colour: the colour itself if it is readable as text there, otherwise the
 * nearest darker or lighter one that is.
 * @param colour such as `#2456e6`
 */
export function accentColours(colour: string, theme: keyof typeof surfaces): AccentColours {
  const { surface, towards, least } = surfaces[theme]
  let accent = colour
  for (let step = 1; step <= steps && contrast(accent, surface) < least; step += 1)
    accent = mix(colour, towards, step / steps)
  const [light, dark] = onColours
  return { accent, onAccent: contrast(accent, light) >= contrast(accent, dark) ? light : dark }
}

/** The style sheet with the accent colours of both themes. */
export function accentStyles(colour: string): string {
  const [light, dark] = [accentColours(colour, 'light'), accentColours(colour, 'dark')]
  return `:root {
  --accent: light-dark(${light.accent}, ${dark.accent});
  --on-accent: light-dark(${light.onAccent}, ${dark.onAccent});
}
`
}

/** The contrast ratio of two colours (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

const channelsOf = (colour: string): Channels => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
]

/** Relative luminance of an sRGB colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Channels
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(from: string, to: string, share: number): string {
  const target = channelsOf(to)
  const mixed = channelsOf(from).map((channel, at) =>
    Math.round(channel + ((target[at] ?? 0) - channel) * share),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
