import { OperatorError } from '../util/index.js'

/** Longest address that mail can be sent to (RFC 5321). */
const EMAIL_CHARACTERS = 254
const EMAIL = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+\.[^\s@<>()[\],;:"\\.]+$/
/**
 * Control characters, line separators, lone surrogates, and characters without a visible form, with which two texts look
 * alike. Joiners are allowed where they have an effect: in emoji, and within words of the Arabic script.
 */
export const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|(?![\u200c\u200d])\p{Cf}|(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d|(?<!\p{Script=Arabic})\u200c|\u200c(?!\p{Script=Arabic})/u

/** The contract's bounds for texts of a key. */
export interface TextLimits {
  /** Characters. */
  readonly keyNameLength: number
  /** Characters. */
  readonly keyDescriptionLength: number
}

/**
 * Validates a key's name and trims it (specification 5.2).
 * @throws OperatorError `invalid_input`
 */
export function readName(name: string, { keyNameLength }: TextLimits): string {
  const text = readText('The name', name, keyNameLength)
  if (text === '') throw invalid('The name must not be empty')
  return text
}

/**
 * Validates a key's description, which may be empty, and trims it (specification 5.2).
 * @throws OperatorError `invalid_input`
 */
export function readDescription(description: string, { keyDescriptionLength }: TextLimits): string {
  return readText('The description', description, keyDescriptionLength)
}

/**
 * Validates a key's use case or node service, which may be empty, and trims it (specification 4.3).
 * @param what name of the text in error messages
 * @throws OperatorError `invalid_input`
 */
export function readPurpose(what: string, text: string, { keyNameLength }: TextLimits): string {
  return readText(what, text, keyNameLength)
}

/**
 * Validates the syntax of an e-mail address and converts it to lower case.
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
 * Finds a network by name.
 * @throws OperatorError `invalid_input`, which lists the networks
 */
export function readNetwork<Network extends string>(network: string, networks: readonly Network[]): Network {
  const found = networks.find((name) => name === network)
  if (found === undefined)
    throw invalid(`The network must be ${networks.join(' or ')}, not ${JSON.stringify(network)}`)
  return found
}

/**
 * Validates the reason for a change of an account, which may be empty, and trims it.
 * @throws OperatorError `invalid_input`, with the field `reason`
 */
export function readReason(reason: string, { reasonLength }: { readonly reasonLength: number }): string {
  return readText('The reason', reason, reasonLength, 'reason')
}

function readText(what: string, value: string, most: number, field?: string): string {
  const text = value.trim()
  if (UNPRINTABLE.test(text))
    throw invalid(`${what} must not contain control characters, line breaks or invisible characters`, field)
  const length = [...text].length
  if (length > most) throw invalid(`${what} has ${length} characters; at most ${most} are allowed`, field)
  return text
}

function invalid(message: string, field?: string): OperatorError {
  return new OperatorError('invalid_input', message, { field })
}
