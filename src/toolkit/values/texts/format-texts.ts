import fc from 'fast-check'

export const words =
  `amber birch cedar delta ember fjord grove heron iris juniper kelp lotus maple north onyx pearl quartz
river sage thistle umber violet willow yarrow zephyr`.split(/\s+/)

/** Generates a neutral word. */
export function word(): fc.Arbitrary<string> {
  return fc.constantFrom(...words)
}

/**
 * Generates texts of a format of JSON Schema or OpenAPI (draft-07 validation, section 7.3).
 * @returns undefined for any other format
 */
export function formatTexts(format: string): fc.Arbitrary<string> | undefined {
  return Object.hasOwn(formats, format) ? formats[format]?.() : undefined
}

/** Range of dates in Unix seconds: 2020 to 2029. */
const seconds = { min: 1_577_836_800, max: 1_893_455_999 } as const

const instant = () => fc.integer(seconds).map((second) => new Date(second * 1000).toISOString())
const host = () => word().map((name) => `${name}.example.com`)
const mail = () => word().map((name) => `${name}@example.com`)
const path = () => fc.tuple(word(), word()).map((names) => `/${names.join('/')}`)
const address = () => fc.tuple(host(), path()).map((parts) => `https://${parts.join('')}`)

/** Addresses and names are reserved for documentation (RFC 2606, 5737 and 3849). */
const formats: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  'date-time': () => instant().map((text) => text.replace('.000Z', 'Z')),
  date: () => instant().map((text) => text.slice(0, 10)),
  time: () => instant().map((text) => `${text.slice(11, 19)}Z`),
  duration: () => fc.integer({ min: 1, max: 59 }).map((minutes) => `PT${minutes}M`),
  email: mail,
  'idn-email': mail,
  hostname: host,
  'idn-hostname': host,
  ipv4: () => fc.integer({ min: 1, max: 254 }).map((last) => `192.0.2.${last}`),
  ipv6: () => fc.integer({ min: 1, max: 0xffff }).map((last) => `2001:db8::${last.toString(16)}`),
  uri: address,
  iri: address,
  url: address,
  'uri-reference': path,
  'iri-reference': path,
  'uri-template': () => path().map((text) => `${text}/{id}`),
  'json-pointer': path,
  'relative-json-pointer': () => fc.tuple(fc.nat(3), path()).map((parts) => parts.join('')),
  uuid: () => fc.uuid({ version: 4 }),
  regex: () => word().map((text) => `^${text}$`),
  byte: () => word().map((text) => Buffer.from(text).toString('base64')),
}
