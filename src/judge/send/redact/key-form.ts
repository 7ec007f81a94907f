/** A URL path, split by the path forms of a contract. */
export interface ReadPath {
  /** The path before the form, without a trailing slash. */
  readonly base: string
  /** The matching form, such as `/v2/{key}`. Undefined if none matches. */
  readonly form: string | undefined
  /** The key as written in the path. Undefined if there is none. */
  readonly key: string | undefined
}

const PLACE = '{key}'

/**
 * Splits a path into base, form and key. The longest form that matches at the end wins.
 * @param forms `paths` of `x-http`, such as `/{key}` and `/v2/{key}`
 * @param couldBeKey returns true for text that can be a key
 */
export function readPath(
  pathname: string,
  forms: readonly string[],
  couldBeKey: (key: string) => boolean,
): ReadPath {
  const path = pathname.replace(/\/$/, '')
  const longestFirst = [...forms].sort((a, b) => partsOf(b) - partsOf(a) || b.length - a.length)
  const words = new Set(forms.flatMap((form) => form.split('/')))
  for (const form of longestFirst) {
    const found = patternOf(form).exec(path)
    if (found === null) continue
    const [, base = '', key] = found
    // `/v2` is the form `/v2/{key}` without a key, and not a key `v2` of the form `/{key}`.
    if (key === undefined || (!words.has(key) && couldBeKey(key))) return { base, form, key }
  }
  for (const form of longestFirst) {
    const bare = fillForm(form, undefined).replace(/\/$/, '')
    if (bare !== '' && path.endsWith(bare)) {
      return { base: path.slice(0, -bare.length), form, key: undefined }
    }
  }
  return { base: path, form: undefined, key: undefined }
}

/** Inserts a key into a form, escaped where necessary. Without a key its segment is removed. */
export function fillForm(form: string, key: string | undefined): string {
  const filled =
    key === undefined || key === ''
      ? form.replaceAll(`/${PLACE}`, '').replaceAll(PLACE, '')
      : form.replaceAll(PLACE, () => escapedKey(key))
  // Without a leading slash it would become part of the host name.
  return filled.startsWith('/') ? filled : `/${filled}`
}

function partsOf(form: string): number {
  return form.split('/').length
}

function patternOf(form: string): RegExp {
  const escaped = form.split(PLACE).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^(.*?)${escaped.join('([^/]+)')}$`)
}

/** Escapes characters that a path segment cannot contain. Percent-encoded bytes are kept. */
function escapedKey(key: string): string {
  return key.replaceAll(/%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@%]+/gi, (text) =>
    encodeURIComponent(Buffer.from(text).toString()),
  )
}
