/**
 * What every generated validators.js begins with: plain JavaScript without imports, so that validators run where
 * nothing else is installed.
 */
export const runtimeText = `/** At most so many problems are told about one value. */
const problemsMost = 10
/** Values with more parts than this are told their first problem only. */
const partsMost = 2000
/** What is said of a value is cut here: some of it the caller wrote. */
const messageMost = 300
/** A path is cut here: names in it may be the caller's. */
const pathMost = 500

/** A pattern as an expression: by code points where the pattern can be read so. */
function compilePattern(source, flags) {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

const highSurrogate = /[\\ud800-\\udbff]/

/** Length in code points, as JSON Schema counts. */
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

/** Equality of JSON values. */
function equal(one, other) {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]))
}

/** True where looking for every problem costs little. */
function isSmall(value) {
  const waiting = [value]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > partsMost) return false
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    if (inner.length > partsMost) return false
    waiting.push(...inner)
  }
  return true
}

/** Errors with one more. */
function withError(errors, error) {
  if (errors === null) return [error]
  errors.push(error)
  return errors
}

/** The first errors, without those of a form that was tried. */
function firstErrors(errors, count) {
  if (errors === null || count === 0) return null
  errors.length = count
  return errors
}

/** The errors of one value, as problems; prefix is where the value stands. */
function problemsOf(errors, prefix, told) {
  for (const error of telling(errors)) {
    const path = (prefix + error.instancePath).slice(0, pathMost)
    const problem = { path, rule: ruleOf(error), message: messageOf(error) }
    if (told.some((other) => other.path === path && other.message === problem.message)) continue
    if (told.length === problemsMost) return
    told.push(problem)
  }
}

/**
 * The errors that say something. A composition is reported as the errors of all its forms and then as itself, with
 * their number: what stays are the errors inside the form that was nearest, or that no form fits.
 */
function telling(errors) {
  const kept = []
  const before = []
  errors.forEach((error, at) => {
    before.push(kept.length)
    const inner = error.params?.inner
    const from = inner > 0 ? before[at - inner] : undefined
    if (from === undefined) {
      kept.push(error)
      return
    }
    const forms = kept.splice(from)
    kept.push(...(error.keyword === 'if' ? consequences(error, forms) : nearest(error, forms)))
  })
  return kept
}

/** What a condition's consequence found wrong, in the condition's own words where it has some. */
function consequences(condition, errors) {
  return condition.params.named ? errors.map((error) => ({ ...error, said: condition.message })) : errors
}

function nearest(composition, forms) {
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

function messageOf({ keyword, params, message, said }) {
  if (said) return said
  if (keyword === 'false schema') return 'is not allowed'
  const text = keyword === 'type' ? 'must be ' + [params.type].flat().map((type) => typeWords[type]).join(' or ') : message
  return text.length > messageMost ? text.slice(0, messageMost - 1) + '…' : text
}

/** Checks one value and adds its problems; every looks for all of them where that costs little. */
function check(value, prefix, { first, every }, told) {
  try {
    if (first(value)) return
    let errors = first.errors
    if (every && isSmall(value) && !every(value)) errors = every.errors
    problemsOf(errors, prefix, told)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    told.push({ path: prefix, rule: 'depth', message: 'is nested too deeply' })
  }
}

const none = Object.freeze([])

function paramsValidator(structure, params, checks) {
  const tooMany = params.length === 0 ? 'takes no parameters' : 'takes at most ' + params.length + ' parameter' + (params.length === 1 ? '' : 's')
  const missing = (at, path) => ({ path, rule: 'required', message: 'the parameter "' + params[at].name + '" is missing' })

  function byPosition(values) {
    if (values.length > params.length) return [{ path: '', rule: 'maxItems', message: tooMany }]
    const told = []
    for (let at = 0; at < params.length; at++) {
      if (values[at] !== undefined) check(values[at], '/' + at, checks[at], told)
      else if (params[at].required) told.push(missing(at, '/' + at))
    }
    return told.length === 0 ? none : told.slice(0, problemsMost)
  }

  function byName(values) {
    const told = []
    for (const name of Object.keys(values)) {
      if (told.length === problemsMost || params.some((param) => param.name === name)) continue
      const text = 'there is no parameter "' + name + '"'
      told.push({ path: '', rule: 'additionalProperties', message: messageOf({ message: text }) })
    }
    params.forEach(({ name, required }, at) => {
      const path = '/' + name.replaceAll('~', '~0').replaceAll('/', '~1')
      if (Object.hasOwn(values, name)) check(values[name], path, checks[at], told)
      else if (required) told.push(missing(at, path))
    })
    return told.length === 0 ? none : told.slice(0, problemsMost)
  }

  return (values) => {
    if (Array.isArray(values) && structure !== 'by-name') return byPosition(values)
    const isObject = typeof values === 'object' && values !== null && !Array.isArray(values)
    if (isObject && structure !== 'by-position') return byName(values)
    const words = { 'by-position': 'a list', 'by-name': 'an object of parameters by name', either: 'a list or an object' }
    return [{ path: '', rule: 'type', message: 'parameters must be ' + words[structure] }]
  }
}

function resultValidator(result) {
  if (!result) return () => none
  return (value) => {
    const told = []
    check(value, '', result, told)
    return told.length === 0 ? none : told
  }
}

/** The validators of one method, from its parameters and the compiled checks of each and of the result. */
function method(structure, params, compileFirst, compileEvery) {
  const first = {}
  const every = {}
  compileFirst(first)
  compileEvery?.(every)
  const checks = params.map((_, at) => ({ first: first['p' + at], every: every['p' + at] }))
  return {
    params: paramsValidator(structure, params, checks),
    result: resultValidator(first.result && { first: first.result }),
  }
}
`
