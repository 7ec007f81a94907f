import type { Random } from './random.js'
import { makeWords, word } from './words.js'

/** The first and the last second that dates are made of: 2020 to 2029. */
const seconds = [1_577_836_800, 1_893_455_999] as const

/**
 * A text of a format that JSON Schema or OpenAPI names (draft-07 validation, section 7.3).
 * @returns undefined for any other format
 */
export function formatText(format: string, random: Random): string | undefined {
  return Object.hasOwn(formats, format) ? formats[format]?.(random) : undefined
}

const host = (random: Random) => `${word(random)}.example.com`
const instant = (random: Random) => new Date(random.whole(...seconds) * 1000).toISOString()
const mail = (random: Random) => `${word(random)}@example.com`
const address = (random: Random) => `https://${host(random)}/${word(random)}`
const path = (random: Random) => `/${word(random)}/${word(random)}`

function digits(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.whole(0, 15).toString(16)).join('')
}

function uuid(random: Random): string {
  const variant = random.whole(8, 11).toString(16)
  const parts = [digits(random, 8), digits(random, 4), `4${digits(random, 3)}`, variant + digits(random, 3)]
  return [...parts, digits(random, 12)].join('-')
}

/** The addresses and names are those that are set apart for documentation (RFC 2606, 5737 and 3849). */
const formats: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': (random) => instant(random).replace('.000Z', 'Z'),
  date: (random) => instant(random).slice(0, 10),
  time: (random) => `${instant(random).slice(11, 19)}Z`,
  duration: (random) => `PT${random.whole(1, 59)}M`,
  email: mail,
  'idn-email': mail,
  hostname: host,
  'idn-hostname': host,
  ipv4: (random) => `192.0.2.${random.whole(1, 254)}`,
  ipv6: (random) => `2001:db8::${random.whole(1, 0xffff).toString(16)}`,
  uri: address,
  iri: address,
  url: address,
  'uri-reference': path,
  'iri-reference': path,
  'uri-template': (random) => `${path(random)}/{id}`,
  'json-pointer': path,
  'relative-json-pointer': (random) => `${random.whole(0, 3)}${path(random)}`,
  uuid,
  regex: (random) => `^${word(random)}$`,
  byte: (random) => Buffer.from(makeWords(random, 2)).toString('base64'),
}
