import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findInPackage } from './debian-package.js'

const run = promisify(execFile)

/** Packages of the Python client that `examples/emitters` generates. */
const packages = ['httpx==0.28.1', 'pydantic>=2.9,<3']
const packageFolder = fileURLToPath(new URL('../../node_modules/.cache/python/', import.meta.url))

/**
 * Ensures that `python3` is installed. Installs Debian's package when it is missing and the user is root.
 * @param say receives progress messages for the user
 */
export async function findPython(say: (text: string) => void): Promise<string> {
  return findInPackage('python3', () => outputOf('python3', ['--version']), say)
}

/** A mail as Python's `email` package reads it. */
export interface ParsedMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** Seconds since 1970. */
  readonly date: number
  readonly type: string
  readonly text: string
  /** Violations of the mail formats. */
  readonly defects: readonly string[]
}

const parseMail = `
import email, email.policy, json, sys
mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
defects = [str(defect) for part in mail.walk() for defect in part.defects]
defects += [str(defect) for name in mail.keys() for defect in mail[name].defects]
print(json.dumps({
    "from": mail["from"], "to": mail["to"], "subject": mail["subject"],
    "date": mail["date"].datetime.timestamp(), "type": mail.get_content_type(),
    "text": mail.get_content(), "defects": defects}))`

/**
 * Parses a mail with Python's `email` package.
 * @param say receives progress messages for the user
 */
export async function readMail(source: string, say: (text: string) => void): Promise<ParsedMail> {
  await findPython(say)
  const running = run('python3', ['-c', parseMail])
  running.child.stdin?.end(source)
  return JSON.parse((await running).stdout) as ParsedMail
}

/**
 * Ensures that httpx and pydantic are installed in a folder of their own, with pip.
 * @param say receives progress messages for the user
 * @returns the folder for the variable PYTHONPATH
 */
export async function findPythonPackages(say: (text: string) => void): Promise<string> {
  await findPython(say)
  const env = { ...process.env, PYTHONPATH: packageFolder }
  const test = ['-c', 'import httpx, pydantic; assert pydantic.VERSION >= "2"']
  if ((await outputOf('python3', test, env)) !== undefined) return packageFolder
  await findInPackage('python3-pip', () => outputOf('python3', ['-m', 'pip', '--version']), say)
  say(`installing ${packages.join(' and ')} for Python in node_modules/.cache/python`)
  await run('python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--upgrade',
    '--target',
    packageFolder,
    ...packages,
  ])
  return packageFolder
}

/** The output of a program, or undefined when it is missing or fails. */
function outputOf(program: string, args: readonly string[], env = process.env): Promise<string | undefined> {
  return run(program, args, { env }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
}
