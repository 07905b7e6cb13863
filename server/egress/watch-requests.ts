import type { ClosableEgress } from './egress.ts'

/** Reports each request when it is over; `status` is undefined if no answer came, 200 for an opened socket. */
export const watchRequests = (
  egress: ClosableEgress,
  onOver: (plugin: string | undefined, status: number | undefined) => void,
): ClosableEgress => ({
  ...egress,
  async send(request) {
    let status: number | undefined
    try {
      const response = await egress.send(request)
      ;({ status } = response)
      return response
    } finally {
      onOver(request.plugin, status)
    }
  },
  async connect(request) {
    let status: number | undefined
    try {
      const socket = await egress.connect(request)
      status = 200
      return socket
    } finally {
      onOver(request.plugin, status)
    }
  },
})
