import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The folder with the pictures of README.md and docs/, each with a file of the texts that it shows. */
export const pictureFolder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))

/**
 * An expression for a page: its visible texts in their order, each once. Texts that change with each run are left out:
 * those with a digit, such as numbers, times and addresses, and masked keys.
 * @param isInWindow leaves out texts outside of the window
 */
export const shownTexts = (isInWindow: boolean): string => `(() => {
  const texts = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { currentNode: node } = walker
    const text = node.textContent.trim().replaceAll(/\\s+/g, ' ')
    if (text === '' || /\\d|\\w…\\w/.test(text) || !/\\p{L}/u.test(text)) continue
    if (!node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const { top, bottom, left, right, width, height } = range.getBoundingClientRect()
    if (width * height === 0) continue
    const isOutside = top >= innerHeight || bottom <= 0 || left >= innerWidth || right <= 0
    if (!(${isInWindow} && isOutside)) texts.add(text)
  }
  return [...texts]
})()`

/** Returns the texts that a picture shows, as they were when it was made. */
export async function recordedTexts(picture: string): Promise<readonly string[]> {
  const text = await readFile(`${pictureFolder}${picture}.txt`, 'utf8')
  return text.split('\n').filter((line) => line !== '')
}

/** Returns the texts of a picture that are not among the texts of its page. */
export async function outdatedTexts(picture: string, texts: readonly string[]): Promise<readonly string[]> {
  const present = new Set(texts)
  return (await recordedTexts(picture)).filter((text) => !present.has(text))
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Returns the texts of a page that needs no scripts, in the form of {@link shownTexts}. */
export function textsOfHtml(html: string): readonly string[] {
  return html
    .replaceAll(/<(style|script)\b[\s\S]*?<\/\1>/g, '')
    .split(/<[^>]*>/)
    .map((text) => text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? ''))
    .map((text) => text.trim().replaceAll(/\s+/g, ' '))
}
