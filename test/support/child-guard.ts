/**
 * Imported for its side effect: ends the child processes that a test file leaves running, for example when its time
 * limit kills it. A shell receives the id of each child process through a pipe. When the pipe closes, the shell ends
 * the remaining processes and their descendants: first with SIGTERM, ten seconds later with SIGKILL.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const script = `
all=' '
while read -r change pid; do
  case $change in
    +) all="$all$pid " ;;
    -) all="\${all%% $pid *} \${all#* $pid }" ;;
  esac
done
tree=$(ps -A -o pid=,ppid= | awk -v roots="$all" '
  BEGIN { count = split(roots, root, " "); for (i = 1; i <= count; i++) found[root[i]] = 1 }
  { pid[NR] = $1; parent[NR] = $2 }
  END {
    do {
      more = 0
      for (i = 1; i <= NR; i++)
        if (parent[i] in found && !(pid[i] in found)) more = found[pid[i]] = 1
    } while (more)
    for (one in found) print one
  }')
[ -n "$tree" ] || exit 0
kill -TERM $tree 2>/dev/null
kill -CONT $tree 2>/dev/null
for second in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for pid in $tree; do
    if kill -0 $pid 2>/dev/null; then left=yes; fi
  done
  [ -n "$left" ] || exit 0
  sleep 1
done
kill -KILL $tree 2>/dev/null`

let guard: ChildProcess | undefined

/** Starts the shell. It has its own session, so that Ctrl-C does not end it. */
function startGuard(): ChildProcess {
  const shell = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.unref()
  const pipe = shell.stdin as Socket
  pipe.on('error', () => undefined).unref()
  return shell
}

let isStarting = false

subscribe('child_process', (message) => {
  // This message is about the shell itself.
  if (isStarting) return
  const { process: child } = message as { readonly process: ChildProcess }
  child.once('spawn', () => {
    const { pid } = child
    if (pid === undefined) return
    isStarting = true
    guard ??= startGuard()
    isStarting = false
    guard.stdin?.write(`+ ${pid}\n`)
    child.once('exit', () => guard?.stdin?.write(`- ${pid}\n`))
  })
})
