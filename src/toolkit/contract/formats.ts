import { isPattern } from './patterns.js'

/**
 * Validated formats as patterns (JSON Schema draft-07 validation, section 7.3). Other formats are documentation.
 * No pattern backtracks, so validation time grows linearly with the value.
 */
const hex = '[0-9A-Fa-f]'

const date = (() => {
  const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
  const days = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)'
  return `(?:\\d{4}-(?:${days}|02-(?:0[1-9]|1\\d|2[0-8]))|${leapYear}-02-29)`
})()

/** A leap second must be the last second of a day in UTC. With an offset, hour and minute are not checked. */
const time = (() => {
  const minute = '(?:[01]\\d|2[0-3]):[0-5]\\d'
  const fraction = '(?:\\.\\d+)?'
  return `(?:${minute}:[0-5]\\d${fraction}(?:[Zz]|[+-]${minute})|23:59:60${fraction}[Zz]|${minute}:60${fraction}[+-]${minute})`
})()

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const hostname = `(?=.{1,253}$)${label}(?:\\.${label})*`

const ipv4 = (() => {
  const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
  return `${byte}(?:\\.${byte}){3}`
})()

/**
 * Eight groups of hex digits. An IPv4 address may replace the last two. `::` replaces groups of zeros once.
 */
const ipv6 = (() => {
  const group = `${hex}{1,4}`
  const after = [6, 5, 4, 3, 2, 1].map((before) => {
    const most = 7 - before
    const mixed = before === 6 ? ipv4 : `(?::${group}){0,${most - 2}}:${ipv4}`
    return `(?:${group}:){${before}}(?:${mixed}|(?::${group}){1,${most}}|:)`
  })
  return `(?:(?:${group}:){7}(?:${group}|:)|${after.join('|')}|:(?:(?::${group}){0,5}:${ipv4}|(?::${group}){1,7}|:))`
})()

const email = (() => {
  const atom = "[A-Za-z0-9!#$%&'*+\\/=?^_`{|}~-]+"
  const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"'
  const domain = `(?:${label}(?:\\.${label})*|\\[(?:${ipv4}|IPv6:${ipv6})\\])`
  return `(?:${atom}(?:\\.${atom})*|${quoted})@${domain}`
})()

/** RFC 3986, appendix A. */
const uri = (() => {
  const encoded = `%${hex}{2}`
  const unreserved = "-A-Za-z0-9._~!$&'()*+,;="
  const part = (more: string) => `(?:[${unreserved}${more}]|${encoded})`
  const rest = `(?:\\?${part(':@\\/?')}*)?(?:#${part(':@\\/?')}*)?`
  const host = `(?:\\[(?:${ipv6}|[vV]${hex}+\\.[${unreserved}:]+)\\]|${part('')}*)`
  const authority = `(?:${part(':')}*@)?${host}(?::\\d*)?`
  const segments = `(?:\\/${part(':@')}*)*`
  const absolute = `\\/\\/${authority}${segments}|\\/(?:${part(':@')}+${segments})?`
  const whole = `[A-Za-z][A-Za-z0-9+.-]*:(?:${absolute}|${part(':@')}+${segments})?${rest}`
  return { whole, reference: `(?:${whole}|(?:${absolute}|${part('@')}+${segments})?${rest})` }
})()

const pointer = '(?:\\/(?:[^\\/~]|~[01])*)*'

const patterns: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `${date}[Tt]${time}`,
  email,
  hostname,
  ipv4,
  ipv6,
  uri: uri.whole,
  'uri-reference': uri.reference,
  uuid: `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  'json-pointer': pointer,
  'relative-json-pointer': `(?:0|[1-9]\\d*)(?:#|${pointer})`,
}

/** The pattern of each validated format, except `regex`, which is not a pattern. */
export const formatPatterns: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(patterns).map(([name, text]) => [name, new RegExp(`^${text}$`, 'u')]),
)

/** The validated formats as ajv expects them. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  ...Object.fromEntries(
    Object.entries(formatPatterns).map(([name, pattern]) => [name, (text: string) => pattern.test(text)]),
  ),
  regex: isPattern,
}

/** Returns true for the name of a validated format. */
export function isValidatedFormat(name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(formats, name)
}
