/**
 * Creates handlers.ts of the sample project.
 * @param contract the name of the contract's package
 */
export const sampleHandlers = (contract: string) => `import { methodErrors } from '${contract}/errors'
import type { Handlers } from '${contract}/service'
import type { Task } from '${contract}/types'

/** The tasks by id, in the order in which they were added. */
const tasks = new Map<number, Task>()

/**
 * The implementation of the contract. Parameters are validated, passed by name, and include defaults.
 * Results are validated before they are sent.
 */
export const handlers: Handlers = {
  tasks: {
    add: ({ title, priority }) => {
      const task: Task = { id: tasks.size + 1, title, priority, doneAt: null }
      tasks.set(task.id, task)
      return task
    },
    get: ({ id }) => tasks.get(id) ?? null,
    list: ({ done, limit }) => {
      const wanted = [...tasks.values()].filter(
        ({ doneAt }) => done === undefined || done === (doneAt !== null),
      )
      return wanted.slice(0, limit)
    },
    complete: ({ id }) => {
      const task = tasks.get(id)
      if (task === undefined) throw methodErrors['tasks.complete'].noSuchTask({ data: { id } })
      const doneAt = task.doneAt ?? new Date().toISOString()
      const completed = { ...task, doneAt }
      tasks.set(id, completed)
      return completed
    },
  },
}
`
