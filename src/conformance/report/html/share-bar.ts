import { markupText } from '../markup-text.js'

/** Bar of a part in a whole, as inline SVG. */
export function shareBar(part: number, whole: number, label: string): string {
  return `<svg class="bar" viewBox="0 0 ${Math.max(1, whole)} 1" preserveAspectRatio="none" role="img" aria-label="${markupText(label)}"><rect class="pass" width="${part}" height="1"/></svg>`
}
