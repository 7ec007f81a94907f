import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import t from 'tap'
import { settingsSchema } from '../../../../../src/service/gateway/app/config/settings-schema.js'
import {
  accentColours,
  contrast,
  surfaces,
} from '../../../../../src/service/gateway/dashboard/product/accent-colours.js'

/** The contrast of text in WCAG 2.2: 1.4.3 (AA) and 1.4.6 (AAA). */
const least = { light: 4.5, dark: 7 }
const themes = Object.keys(surfaces) as (keyof typeof surfaces)[]
const colour = fc.integer({ min: 0, max: 0xffffff }).map((bits) => `#${bits.toString(16).padStart(6, '0')}`)

t.test('any accent colour is readable as text and under text, in both themes', async () => {
  fc.assert(
    fc.property(colour, (chosen) =>
      themes.every((theme) => {
        const { accent, onAccent } = accentColours(chosen, theme)
        return (
          contrast(accent, surfaces[theme].surface) >= least[theme] &&
          contrast(onAccent, accent) >= least[theme]
        )
      }),
    ),
  )
})

t.test('a colour with enough contrast stays as it is', async (t) => {
  const { default: usual } = settingsSchema.properties.product.properties.accentColour
  t.equal(accentColours(usual, 'light').accent, usual)
  t.equal(accentColours('#ffffff', 'dark').accent, '#ffffff')
})

t.test('contrast is that of WCAG', async (t) => {
  t.equal(contrast('#000000', '#ffffff'), 21)
  t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
})

t.test('the surfaces are those of the style sheet', async (t) => {
  const css = await readFile('src/service/gateway/dashboard/assets/tokens.css', 'utf8')
  for (const { surface } of Object.values(surfaces)) t.match(css, surface)
})
