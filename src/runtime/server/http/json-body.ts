import type { Limits } from '../protocol/limits.js'

/** The headers that describe a body. */
export interface BodyHeaders {
  readonly 'content-type'?: string | undefined
  readonly 'content-encoding'?: string | undefined
  readonly 'content-length'?: string | undefined
}

/** The reason to refuse a body before it is read. */
export function bodyProblem(
  headers: BodyHeaders,
  { bodyBytes }: Pick<Limits, 'bodyBytes'>,
  contentTypes = defaultContentTypes,
): 'unsupportedMediaType' | 'bodyTooLarge' | undefined {
  if (!isJsonBody(headers['content-type'], headers['content-encoding'], contentTypes))
    return 'unsupportedMediaType'
  const length = headers['content-length']
  return length !== undefined && Number(length) > bodyBytes ? 'bodyTooLarge' : undefined
}

/** The content types of a JSON body (RFC 8259, section 11). */
const defaultContentTypes: readonly string[] = ['application/json']

const UTF8_NAMES = new Set(['utf-8', 'utf8'])

/**
 * True for a JSON body: one of the content types, in UTF-8 if a charset is given, and without content encoding (RFC
 * 8259, section 8.1; RFC 9110, sections 8.3 and 8.4). Other parameters of the type are ignored.
 */
export function isJsonBody(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  contentTypes = defaultContentTypes,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') return false
  if (contentType === undefined) return false
  if (contentTypes.includes(contentType)) return true
  const [type = '', ...parameters] = contentType.split(';')
  return contentTypes.includes(type.trim().toLowerCase()) && parameters.every(keepsUtf8)
}

function keepsUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=')
  if (name.trim().toLowerCase() !== 'charset') return true
  return UTF8_NAMES.has(
    value
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  )
}
