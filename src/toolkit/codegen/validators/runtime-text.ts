import { formatPatterns } from '../../contract/index.js'
import { literalKey } from '../text.js'

/**
 * The first part of every validators.js: plain JavaScript without imports, so that validators run anywhere.
 */
export const runtimeText = `/** Maximum number of problems that are reported for one value. */
const maxProblems = 10
/** For values with more parts than this, only the first problem is reported. */
const maxParts = 2000
/** Maximum length of a message, in characters. Messages can contain text of the caller. */
const maxMessageLength = 300
/** Maximum length of a path, in characters. Paths can contain names of the caller. */
const maxPathLength = 500

/** Compiles a pattern, with the Unicode flag if it is valid that way. */
function compilePattern(source, flags) {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

const highSurrogate = /[\\ud800-\\udbff]/

/** Returns the length in code points, as JSON Schema counts. */
function ucs2length(text) {
  if (!highSurrogate.test(text)) return text.length
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--
      at++
    }
  }
  return length
}

/** Compares JSON values. */
function equal(one, other) {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]))
}

/** Returns true if a value is small enough to collect all of its problems. */
function isSmall(value) {
  const waiting = [value]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > maxParts) return false
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    if (inner.length > maxParts) return false
    waiting.push(...inner)
  }
  return true
}

/** Appends an error. */
function withError(errors, error) {
  if (errors === null) return [error]
  errors.push(error)
  return errors
}

/** Appends errors. */
function withErrors(errors, more) {
  return errors === null ? more : errors.concat(more)
}

/** Drops the errors of a branch that was tried. */
function firstErrors(errors, count) {
  if (errors === null || count === 0) return null
  errors.length = count
  return errors
}

/** Moves errors to the place of the value that has them. */
function errorsAt(errors, place) {
  for (const error of errors) error.instancePath = place + error.instancePath
  return errors
}

/** Adds the errors of one value as problems. The prefix is the location of the value. */
function problemsOf(errors, prefix, problems) {
  for (const error of helpfulErrors(errors)) {
    const path = (prefix + error.instancePath).slice(0, maxPathLength)
    const problem = { path, rule: ruleOf(error), message: messageOf(error) }
    if (problems.some((other) => other.path === path && other.message === problem.message)) continue
    if (problems.length === maxProblems) return
    problems.push(problem)
  }
}

/**
 * Selects the most helpful errors. ajv reports a composition as the errors of all branches, then the
 * composition itself with their number. Either the errors inside the closest branch remain, or the
 * composition's own. Errors of a member's name say so, and ajv's summary of them is dropped.
 */
function helpfulErrors(errors) {
  const kept = []
  const before = []
  errors.forEach((error, at) => {
    before.push(kept.length)
    const inner = error.params?.inner
    const from = inner > 0 ? before[at - inner] : undefined
    if (from === undefined) {
      if (error.propertyName !== undefined) kept.push(aboutName(error))
      else if (error.keyword !== 'propertyNames' || kept.at(-1)?.propertyName === undefined) kept.push(error)
      return
    }
    const forms = kept.splice(from)
    for (const form of error.keyword === 'if' ? consequences(error, forms) : nearest(error, forms)) kept.push(form)
  })
  return kept
}

/** Returns an error of a member's name, which ajv reports at the object. */
function aboutName(error) {
  return { ...error, ownMessage: shortened('the member name "' + error.propertyName + '" ' + messageOf(error)) }
}

/** Returns the errors of a condition's consequence, with the condition's own message if it has one. */
function consequences(condition, errors) {
  return condition.params.named ? errors.map((error) => ({ ...error, ownMessage: condition.message })) : errors
}

function nearest(composition, forms) {
  if (composition.params.several) return [composition]
  const place = composition.instancePath
  const deeper = forms.filter((error) => error.instancePath.length > place.length)
  if (deeper.length > 0) return deeper
  if (forms.length > 1 && forms.every((error) => error.keyword === 'required')) return [anyMissing(forms)]
  const likely = forms.filter((error) => error.keyword !== 'type')
  return likely.length === 1 && !composition.params.named ? likely : [composition]
}

function anyMissing(forms) {
  const names = [...new Set(forms.map((error) => '"' + error.params.missing + '"'))]
  return { ...forms[0], message: 'one of the members ' + names.join(', ') + ' is needed' }
}

function ruleOf({ keyword }) {
  return keyword === 'false schema' ? 'false' : keyword
}

const typeWords = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

function messageOf({ keyword, params, message, ownMessage }) {
  if (ownMessage) return ownMessage
  if (keyword === 'false schema') return 'is not allowed'
  const text = message ?? 'must be ' + [params.type].flat().map((type) => typeWords[type]).join(' or ')
  return shortened(text)
}

function shortened(text) {
  return text.length > maxMessageLength ? text.slice(0, maxMessageLength - 1) + '…' : text
}

/** Validates one value and adds its problems. All problems are collected if the value is small. */
function check(value, prefix, { first, every }, problems) {
  try {
    if (first(value)) return
    let errors = first.errors
    if (every && isSmall(value) && !every(value)) errors = every.errors
    problemsOf(errors, prefix, problems)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    problems.push({ path: prefix, rule: 'depth', message: 'is nested too deeply' })
  }
}

const none = Object.freeze([])

function paramsValidator(structure, params) {
  const tooMany = params.length === 0 ? 'takes no parameters' : 'takes at most ' + params.length + ' parameter' + (params.length === 1 ? '' : 's')
  const missing = (at, path) => ({ path, rule: 'required', message: 'the parameter "' + params[at].name + '" is missing' })

  function byPosition(values) {
    if (values.length > params.length) return [{ path: '', rule: 'maxItems', message: tooMany }]
    const problems = []
    for (let at = 0; at < params.length; at++) {
      if (values[at] !== undefined) check(values[at], '/' + at, params[at], problems)
      else if (params[at].required) problems.push(missing(at, '/' + at))
    }
    return problems.length === 0 ? none : problems.slice(0, maxProblems)
  }

  function byName(values) {
    const problems = []
    for (const name of Object.keys(values)) {
      if (problems.length === maxProblems || params.some((param) => param.name === name)) continue
      const text = 'there is no parameter "' + name + '"'
      problems.push({ path: '', rule: 'additionalProperties', message: messageOf({ message: text }) })
    }
    params.forEach((param, at) => {
      const path = '/' + param.name.replaceAll('~', '~0').replaceAll('/', '~1')
      if (Object.hasOwn(values, param.name)) check(values[param.name], path, param, problems)
      else if (param.required) problems.push(missing(at, path))
    })
    return problems.length === 0 ? none : problems.slice(0, maxProblems)
  }

  return (values) => {
    if (Array.isArray(values) && structure !== 'by-name') return byPosition(values)
    const isObject = typeof values === 'object' && values !== null && !Array.isArray(values)
    if (isObject && structure !== 'by-position') return byName(values)
    const words = { 'by-position': 'a list', 'by-name': 'an object of parameters by name', either: 'a list or an object' }
    return [{ path: '', rule: 'type', message: 'parameters must be ' + words[structure] }]
  }
}

function resultValidator(first) {
  if (!first) return () => none
  return (value) => {
    const problems = []
    check(value, '', { first }, problems)
    return problems.length === 0 ? none : problems
  }
}

/** Creates the validators of one method. */
function method(structure, params, result) {
  return {
    params: paramsValidator(structure, params),
    result: resultValidator(result),
  }
}
`

/** Returns the validators of formats, or an empty string if there are none. */
export function formatsText(used: readonly string[]): string {
  if (used.length === 0) return ''
  const names = [...used].sort()
  return `
/** Formats that the contract uses (JSON Schema draft-07 validation, section 7.3). */
const formats = {
${names.map((name) => `  ${literalKey(name)}: ${checkText(name)},\n`).join('')}}
${names.includes('regex') ? isPatternText : ''}`
}

function checkText(name: string): string {
  const pattern = formatPatterns[name]
  return pattern === undefined ? 'isPattern' : `(text) => ${String(pattern)}.test(text)`
}

const isPatternText = `
/** Returns true if the text is a regular expression. */
function isPattern(text) {
  try {
    compilePattern(text, 'u')
    return true
  } catch {
    return false
  }
}
`

/**
 * Returns the `multipleOf` validator if compiled schemas use it.
 * @param code compiled code
 */
export function multiplesText(code: string): string {
  return /\bisMultipleOf\(/.test(code) ? multipleOfText : ''
}

const multipleOfText = `
/** Returns true if a number is an integer multiple of another, comparing their decimal notations. */
function isMultipleOf(value, divisor) {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const [one, other] = [decimal(value), decimal(divisor)]
  if (!one || !other) return false
  const exponent = Math.min(one.exponent, other.exponent)
  const scaled = (part) => part.digits * 10n ** BigInt(part.exponent - exponent)
  return scaled(one) % scaled(other) === 0n
}

/** Returns digits and a power of ten, or undefined for numbers above the range of doubles. */
function decimal(number) {
  const [, whole, fraction = '', exponent = '0'] = /^(-?\\d+)(?:\\.(\\d+))?(?:e([+-]\\d+))?$/.exec(String(number)) ?? []
  if (whole === undefined) return undefined
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
`
