/** The run was stopped. No further request is sent. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted'

  constructor(message = 'the run was stopped') {
    super(message)
  }
}

/** The service stopped answering, so the run ends early. The message gives the evidence. */
export class ServiceGone extends Interrupted {
  override readonly name = 'ServiceGone'
}
