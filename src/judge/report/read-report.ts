import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import { isObject, type JsonObject, type JsonValue, stringMember } from '../../toolkit/contract/index.js'
import { checksum } from './json-report.js'
import type { Report } from './report.js'
import { ReportError } from './report-error.js'
import { cut } from './text/describe.js'
import { countsOf } from './verdicts.js'

const FORM = 'concordat-conformance-report/'
const VERSION = `${FORM}2`

let validator: ValidateFunction | undefined

/**
 * Parses a report written by `--report json=FILE`.
 * @throws ReportError for other files, unsupported versions, incomplete reports and changed reports
 */
export function readReport(text: string): Report {
  const value = parsed(text)
  const form = isObject(value) ? stringMember(value, 'schema') : undefined
  if (!isObject(value) || form === undefined || !form.startsWith(FORM)) {
    throw new ReportError('not a report of concordat conform; --report json=FILE writes one')
  }
  if (form !== VERSION) {
    throw new ReportError(`its format is ${cut(form)}, but this version of concordat reads ${VERSION}`)
  }
  validator ??= compile()
  if (!validator(value)) {
    const [error] = validator.errors ?? []
    const more = error?.params['additionalProperty'] ?? error?.params['missingProperty']
    const about = typeof more === 'string' ? ` (${cut(more)})` : ''
    throw new ReportError(
      `it violates the format ${VERSION} at #${error?.instancePath}: ${error?.message}${about}`,
    )
  }
  const { sha256, ...report } = value
  if (sha256 !== checksum(report)) {
    throw new ReportError('it was changed after it was written: its checksum does not match')
  }
  const read = report as unknown as Report
  return { ...read, counts: { ...countsOf([]), ...read.counts } }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (cause) {
    const isOpen = text.trimStart().startsWith('{') && !text.trimEnd().endsWith('}')
    throw new ReportError(isOpen ? 'the file is truncated' : 'not JSON', { cause })
  }
}

function compile(): ValidateFunction {
  const file = new URL('./report.schema.json', import.meta.url)
  return new Ajv().compile(JSON.parse(readFileSync(file, 'utf8')) as JsonObject)
}
