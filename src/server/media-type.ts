const JSON_TYPE = 'application/json'
const UTF8_NAMES = new Set(['utf-8', 'utf8'])

/**
 * Whether a body may be read as JSON-RPC: `application/json`, in UTF-8 where a charset is named, and not encoded
 * (RFC 8259, section 8.1; RFC 9110, sections 8.3 and 8.4). Other parameters of the type are ignored.
 */
export function isJsonBody(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') return false
  if (contentType === JSON_TYPE) return true
  if (contentType === undefined) return false
  const [type = '', ...parameters] = contentType.split(';')
  return type.trim().toLowerCase() === JSON_TYPE && parameters.every(keepsUtf8)
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
