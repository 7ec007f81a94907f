import { markupText } from '../../../toolkit/report-formats/index.js'
import type { CoveredParts, Report } from '../report.js'
import { groupBy } from '../text/group-by.js'
import { grouped } from '../text/words.js'

/** Markup of the parts of the contract that the answers had, and of those that no answer had. */
export function answersMarkup({ coverage, elements }: Report): string {
  if (coverage === undefined) return ''
  const methods = new Map(
    elements.filter(({ kind }) => kind === 'method').map(({ id, pointer }) => [pointer, id]),
  )
  const parts: readonly (readonly [string, CoveredParts])[] = [
    ['methods', coverage.methods],
    ['result members', coverage.members],
    ['result branches', coverage.branches],
    ['error codes', coverage.errors],
  ]
  return [
    '<h3 class="part">In answers</h3>',
    ...parts.filter(([, { total }]) => total > 0).map(([name, part]) => partMarkup(name, part, methods)),
  ].join('\n')
}

function partMarkup(name: string, part: CoveredParts, methods: ReadonlyMap<string, string>): string {
  const { seen, total, reached = [], never } = part
  const rows = [
    ...reached.map((place) => ({ ...placeOf(place, methods), isReached: true })),
    ...never.map((place) => ({ ...placeOf(place, methods), isReached: false })),
  ]
  const byOwner = [...groupBy(rows, ({ owner }) => owner)].map(([owner, list]) => {
    const names = (isReached: boolean) =>
      list
        .filter((one) => one.isReached === isReached)
        .map((one) => `<code>${markupText(one.name)}</code>`)
        .join(' ')
    const head = owner === '' ? '' : `<th scope="row"><code>${markupText(owner)}</code></th>`
    return `<tr>${head}<td>${names(false)}</td><td>${names(true)}</td></tr>`
  })
  const hasOwners = rows.some(({ owner }) => owner !== '')
  const count = `${grouped(seen)} of ${grouped(total)}`
  return [
    '<details class="group sheet">',
    `<summary><h4>${name}</h4>${shareBar(seen, total, count)}<span>${count} seen</span></summary>`,
    `<div class="wide" tabindex="0"><table><thead><tr>${hasOwners ? '<th scope="col">in</th>' : ''}<th scope="col">never seen</th><th scope="col">seen</th></tr></thead>`,
    `<tbody>${byOwner.join('')}</tbody></table></div>`,
    '</details>',
  ].join('')
}

/** Splits a pointer into the schema or method that it is in, and the rest. Names have no owner. */
function placeOf(place: string, methods: ReadonlyMap<string, string>) {
  const [, schema, inSchema] = /^#\/components\/schemas\/([^/]+)\/(.+)$/.exec(place) ?? []
  if (schema !== undefined && inSchema !== undefined) return { owner: schema, name: shortened(inSchema) }
  const [, method, inMethod] = /^(#\/methods\/\d+)\/(?:result\/schema\/)?(.+)$/.exec(place) ?? []
  if (method === undefined || inMethod === undefined) return { owner: '', name: place }
  return { owner: methods.get(method) ?? method, name: shortened(inMethod) }
}

function shortened(pointer: string): string {
  return pointer.replace(/^properties\//, '').replaceAll('/properties/', '/')
}

/** Bar of a part in a whole, as inline SVG. */
function shareBar(part: number, whole: number, label: string): string {
  return `<svg class="bar" viewBox="0 0 ${Math.max(1, whole)} 1" preserveAspectRatio="none" role="img" aria-label="${markupText(label)}"><rect class="pass" width="${part}" height="1"/></svg>`
}
