import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findTool } from './tools.js'

const run = promisify(execFile)

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

/** Parses a mail with Python's `email` package. */
export async function readMail(source: string): Promise<ParsedMail> {
  await findTool('python')
  const running = run('python3', ['-c', parseMail])
  running.child.stdin?.end(source)
  return JSON.parse((await running).stdout) as ParsedMail
}
