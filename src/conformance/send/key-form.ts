/** A URL's path as a contract's forms read it. */
export interface ReadPath {
  /** What stands in front of the form, without a slash at its end. */
  readonly base: string
  /** The form that matched, such as `/v2/{key}`; undefined where none did. */
  readonly form: string | undefined
  /** The key as it stands in the path; undefined where there is none. */
  readonly key: string | undefined
}

const PLACE = '{key}'

/**
 * Tells which part of a path is base, form and key: the longest form that matches at the end is taken.
 * @param forms `paths` of `x-http`, such as `/{key}` and `/v2/{key}`
 * @param couldBeKey whether a text could be a key at all
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
    // `/v2` is the form of `/v2/{key}` with its key left out, and no key of the form `/{key}`.
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

/** A form with a key in its place, which is escaped as far as a path needs it; without a key, its place is left out. */
export function fillForm(form: string, key: string | undefined): string {
  const filled =
    key === undefined || key === ''
      ? form.replaceAll(`/${PLACE}`, '').replaceAll(PLACE, '')
      : form.replaceAll(PLACE, () => escapedKey(key))
  // Without a slash in front it would be a part of the host's name.
  return filled.startsWith('/') ? filled : `/${filled}`
}

function partsOf(form: string): number {
  return form.split('/').length
}

function patternOf(form: string): RegExp {
  const escaped = form.split(PLACE).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^(.*?)${escaped.join('([^/]+)')}$`)
}

/** What a segment of a path may hold stays as it is, percent-encoded bytes too; all else is encoded. */
function escapedKey(key: string): string {
  return key.replaceAll(/%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@%]+/gi, (text) =>
    encodeURIComponent(Buffer.from(text).toString()),
  )
}
