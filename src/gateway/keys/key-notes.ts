/**
 * What parts of the service hold of a key between its requests, each part its own member, so that it looks nothing up by
 * name for a request; a look into a large table costs more than all that is then done with what is found there. They go
 * when the key is forgotten. What a part finds here may be out of date: it can tell by what it left.
 */
export class KeyNotes {
  /** The quota's: the count of the key's user. */
  counted: object | undefined = undefined
  /** The queue's: the requests of the key's user. */
  inQueue: object | undefined = undefined
  /** Of the usage: what was counted of the key. */
  usage: object | undefined = undefined
}
