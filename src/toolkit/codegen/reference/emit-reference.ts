import { type Method, withoutPrivateTerms } from '../../contract/index.js'
import { oneLine } from '../../text/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { markdownHeader } from '../header.js'
import { code } from '../types/note-text.js'
import { limitValues } from './limit-values.js'
import { anchor, prose, proseLine, table } from './markdown.js'
import { errorsText, extensionChapters, serversText } from './reference-chapters.js'
import { curlText } from './reference-example.js'
import { methodSection } from './reference-method.js'
import { objectSections } from './reference-objects.js'
import { renderReference } from './render-reference.js'

/** Emits REFERENCE.md, the API reference in Markdown. */
export const emitReference: Emitter = (source) => ({ path: 'REFERENCE.md', content: referenceText(source) })

/** Emits reference.html, which shows REFERENCE.md in a browser. */
export const emitReferenceHtml: Emitter = (source) => ({
  path: 'reference.html',
  content: renderReference(referenceText(source)),
})

function referenceText(given: Source): string {
  const source = { ...given, contract: withoutPrivateTerms(given.contract) }
  const { contract } = source
  const chapters = [
    { heading: 'Servers', text: serversText(contract) },
    { heading: 'Methods', text: methods(source) },
    { heading: 'Objects', text: objectSections(source) },
    { heading: 'Errors', text: errorsText(source) },
    ...extensionChapters(contract),
  ].filter(({ text }) => text !== '')
  const withValues = limitValues(contract)
  const body = chapters
    .map(({ heading, text }) => `\n## ${proseLine(heading)}\n\n${withValues(text)}`)
    .join('')
  const title = `# ${proseLine(contract.title)} ${proseLine(contract.version)}\n`
  const lead = contract.description === undefined ? '' : `\n${prose(contract.description).trim()}\n`
  const mark = otherMark(lead)
  const contents = chapters
    .map(({ heading }) => `${mark} [${proseLine(heading)}](#${anchor(heading)})\n`)
    .join('')
  return `${markdownHeader(source)}\n${title}${lead}\n${contents}${body}`
}

/** Returns the mark of a list that does not continue a list at the end of a text (CommonMark 0.31, 5.3). */
function otherMark(markdown: string): string {
  const [last] = [...markdown.matchAll(/^ {0,3}([*+-]) /gm)].slice(-1)
  return last?.[1] === '+' ? '*' : '+'
}

function methods(source: Source): string {
  const { methods: list } = source.contract
  const names = [...new Set(list.map(groupOf))]
  const isGrouped = names.length > 1 && names.length < list.length
  const lists = isGrouped
    ? names.map(
        (name) =>
          `**${proseLine(name)}**\n\n${methodTable(list.filter((method) => groupOf(method) === name))}`,
      )
    : [methodTable(list)]
  const sections = list.map((method) => methodSection(source, method))
  return [...lists, curlText(source.contract), ...sections].filter((text) => text !== '').join('\n')
}

function methodTable(methods: readonly Method[]): string {
  const rows = methods.map(({ name, summary, description, deprecated }) => [
    `[${code(name)}](#${anchor(name)})`,
    `${deprecated ? '**Deprecated.** ' : ''}${proseLine(summary ?? description ?? '')}`,
  ])
  return table(['Method', 'What it does'], rows)
}

/** Returns a method's first tag, otherwise the part of its name before the first dot or underscore. */
function groupOf({ name, tags }: Method): string {
  return oneLine(tags[0] ?? /^[^._]+(?=[._])/.exec(name)?.[0] ?? 'other')
}
