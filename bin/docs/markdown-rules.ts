import { posix } from 'node:path'
import type { UserConfig } from 'vitepress'

type Markdown = Parameters<NonNullable<NonNullable<UserConfig['markdown']>['config']>>[0]

/**
 * Writes drawings into the page instead of linking to them, so that their `light-dark()` follows the theme of the page.
 * The text of the image is the drawing's name.
 * @param drawings SVG by file name
 */
export function inlineDrawings(
  { renderer, utils }: Markdown,
  drawings: Readonly<Record<string, string>>,
): void {
  const render = renderer.rules.image
  renderer.rules.image = (tokens, at, options, env, self) => {
    const token = tokens[at]
    const drawing = drawings[posix.basename(token?.attrGet('src') ?? '')]
    if (token === undefined || drawing === undefined)
      return render?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options)
    const name = utils.escapeHtml(self.renderInlineAsText(token.children ?? [], options, env))
    return drawing.trim().replace('<svg ', `<svg class="drawing" aria-label="${name}" `)
  }
}

/** Writes the braces of all text and code as entities, so that Vue finds no expression in it. */
export function withoutExpressions({ renderer }: Markdown): void {
  const render = renderer.render.bind(renderer)
  renderer.render = (...given) => render(...given).replaceAll('{{', '&#123;&#123;')
}
