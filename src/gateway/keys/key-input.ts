import { OperatorError } from '../store/operator-error.js'

/** Longest address that can be written to (RFC 5321). */
const EMAIL_CHARACTERS = 254
const EMAIL = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+\.[^\s@<>()[\],;:"\\.]+$/
/** Controls, line separators, halves of characters, and marks that turn the direction of the text around them. */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** The contract's bounds for what people type. */
export interface TextLimits {
  /** Characters. */
  readonly keyNameLength: number
  /** Characters. */
  readonly keyDescriptionLength: number
}

/**
 * A key's name, without the spaces around it (specification 5.2).
 * @throws OperatorError `invalid_input`
 */
export function readName(name: string, { keyNameLength }: TextLimits): string {
  const text = readText('The name', name, keyNameLength)
  if (text === '') throw invalid('The name must not be empty')
  return text
}

/**
 * A key's description, which may be empty (specification 5.2).
 * @throws OperatorError `invalid_input`
 */
export function readDescription(description: string, { keyDescriptionLength }: TextLimits): string {
  return readText('The description', description, keyDescriptionLength)
}

/**
 * What a key is for, or which service, as its user says it; may be empty (specification 4.3).
 * @param what names the text where it is refused
 * @throws OperatorError `invalid_input`
 */
export function readPurpose(what: string, text: string, { keyNameLength }: TextLimits): string {
  return readText(what, text, keyNameLength)
}

/**
 * A user's e-mail address, in lower case: its shape, not whether it is anyone's.
 * @throws OperatorError `invalid_input`
 */
export function readEmail(email: string): string {
  const text = email.trim()
  if (text.length > EMAIL_CHARACTERS || UNPRINTABLE.test(text) || !EMAIL.test(text)) {
    throw invalid(`${JSON.stringify(email.slice(0, EMAIL_CHARACTERS))} is not an e-mail address`)
  }
  return text.toLowerCase()
}

/**
 * One of the networks by name.
 * @throws OperatorError `invalid_input`, naming them
 */
export function readNetwork<Network extends string>(network: string, networks: readonly Network[]): Network {
  const found = networks.find((name) => name === network)
  if (found === undefined)
    throw invalid(`The network must be ${networks.join(' or ')}, not ${JSON.stringify(network)}`)
  return found
}

function readText(what: string, value: string, most: number): string {
  const text = value.trim()
  if (UNPRINTABLE.test(text)) throw invalid(`${what} must not hold control characters or line breaks`)
  const length = [...text].length
  if (length > most) throw invalid(`${what} has ${length} characters, and at most ${most} are allowed`)
  return text
}

function invalid(message: string): OperatorError {
  return new OperatorError('invalid_input', message)
}
