import { withoutPrivateTerms } from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { markdownHeader } from '../header.js'
import { code } from '../types/note-text.js'
import { limitValues } from './limit-values.js'
import { anchor, prose, proseLine, table } from './markdown.js'
import { errorsText, extensionChapters, serversText } from './reference-chapters.js'
import { curlText } from './reference-example.js'
import { methodSection } from './reference-method.js'
import { objectSections } from './reference-objects.js'

/** Emits REFERENCE.md, the API reference in Markdown. */
export const emitReference: Emitter = (given) => {
  const source = { ...given, contract: withoutPrivateTerms(given.contract) }
  const { contract } = source
  const chapters = [
    { heading: 'Servers', text: serversText(contract) },
    { heading: 'Methods', text: methods(source) },
    { heading: 'Objects', text: objectSections(source) },
    { heading: 'Errors', text: errorsText(source) },
    ...extensionChapters(contract),
  ].filter(({ text }) => text !== '')
  const contents = chapters.map(({ heading }) => `- [${heading}](#${anchor(heading)})\n`).join('')
  const withValues = limitValues(contract)
  const body = chapters.map(({ heading, text }) => `\n## ${heading}\n\n${withValues(text)}`).join('')
  const title = `# ${proseLine(contract.title)} ${proseLine(contract.version)}\n`
  const lead = contract.description === undefined ? '' : `\n${prose(contract.description).trim()}\n`
  return { path: 'REFERENCE.md', content: `${markdownHeader(source)}\n${title}${lead}\n${contents}${body}` }
}

function methods(source: Source): string {
  const rows = source.contract.methods.map(({ name, summary, description, deprecated }) => [
    `[${code(name)}](#${anchor(name)})`,
    `${deprecated ? '**Deprecated.** ' : ''}${proseLine(summary ?? description ?? '')}`,
  ])
  const sections = source.contract.methods.map((method) => methodSection(source, method))
  const lead = [table(['Method', 'What it does'], rows), curlText(source.contract)]
  return [...lead, ...sections].filter((text) => text !== '').join('\n')
}
