import { isUtf8 } from 'node:buffer'
import { ContractError, contractError } from '../contract-error.js'
import { lineFinder } from './source-position.js'

/**
 * Decodes a document from UTF-8.
 * @param bytes the content of the file
 * @throws ContractError when the bytes are not UTF-8; decoding them would silently change names and texts
 */
export function sourceText(bytes: Buffer): string {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw contractError('', 'is UTF-16: save it as UTF-8')
  }
  const text = bytes.toString('utf8')
  if (isUtf8(bytes)) return text
  const position = lineFinder(text)(Math.max(0, text.indexOf('\uFFFD')))
  throw new ContractError([{ pointer: '', message: 'is not UTF-8 text', position }])
}
