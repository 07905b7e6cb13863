import { addressOf, apiGet, parseAnswer } from '../../api/call.ts'
import { ApiError, apiProblem, foreignProblem, type ApiProblem } from '../../api/problem.ts'
import type { ApiCaseDetail } from '../../api/types.ts'
import { createStore } from '../../parts/hooks.ts'
import { fileSize } from './file-size.ts'

type CaseFile = ApiCaseDetail['files'][number]

/** A file on its way to a case. */
export interface Upload {
  readonly id: string
  /** Path of the case in the API. */
  readonly path: string
  readonly file: File
  readonly state: 'waiting' | 'sending' | 'failed' | 'same'
  /** Bytes that were sent. */
  readonly sent: number
  /** Why it failed. */
  readonly problem?: ApiProblem
  /** The name under which the case has its content already. */
  readonly sameAs?: string
}

/** Of all cases, so that an upload goes on while another page is shown. */
const uploads = createStore<readonly Upload[]>([])
const stops = new Map<string, () => void>()
let isWorking = false

export const useUploads = (path: string): readonly Upload[] =>
  uploads.use().filter((each) => each.path === path)

globalThis.addEventListener('beforeunload', (event) => {
  if (uploads.get().some(({ state }) => state === 'waiting' || state === 'sending')) event.preventDefault()
})

/** @param onDone called after each file that was attached */
export function startUploads(path: string, files: readonly File[], onDone: () => void): void {
  const added = files.map((file): Upload => ({
    id: crypto.randomUUID(),
    path,
    file,
    state: 'waiting',
    sent: 0,
  }))
  uploads.set([...uploads.get(), ...added])
  void work(onDone)
}

export function retryUpload(id: string, onDone: () => void): void {
  change(id, (upload) => ({ id, path: upload.path, file: upload.file, state: 'waiting', sent: 0 }))
  void work(onDone)
}

/** Cancels an upload, or removes what is said about one that has ended. */
export function dropUpload(id: string): void {
  stops.get(id)?.()
  uploads.set(uploads.get().filter((each) => each.id !== id))
}

const change = (id: string, after: (upload: Upload) => Upload): void => {
  uploads.set(uploads.get().map((each) => (each.id === id ? after(each) : each)))
}

/** One file after the other: several at a time would only share the connection. */
async function work(onDone: () => void): Promise<void> {
  if (isWorking) return
  isWorking = true
  try {
    for (let next = nextUpload(); next !== undefined; next = nextUpload()) {
      const { id } = next
      change(id, (upload) => ({ ...upload, state: 'sending' }))
      try {
        // oxlint-disable-next-line no-await-in-loop -- see above
        const { file, isNew } = await send(next)
        if (isNew) dropUpload(id)
        else change(id, (upload) => ({ ...upload, state: 'same', sameAs: file.name }))
        onDone()
      } catch (error) {
        change(id, (upload) => ({ ...upload, state: 'failed', problem: apiProblem(error) }))
      } finally {
        stops.delete(id)
      }
    }
  } finally {
    isWorking = false
  }
}

const nextUpload = (): Upload | undefined => uploads.get().find(({ state }) => state === 'waiting')

/** A repeated upload has the same key, so that it is attached once. */
async function send({
  id,
  path,
  file,
}: Upload): Promise<{ readonly file: CaseFile; readonly isNew: boolean }> {
  const { limits } = await apiGet<{ readonly limits: { readonly file_bytes: number } }>(`${path}/files`)
  if (file.size > limits.file_bytes)
    throw new ApiError({
      title: 'The file is too large',
      status: 413,
      code: 'file_too_large',
      detail: `It has ${fileSize(file.size)}; a file may have ${fileSize(limits.file_bytes)}.`,
      hint: 'attach a part of it, or add a note that says where it is',
    })
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    stops.set(id, () => request.abort())
    request.open('POST', addressOf(`${path}/files`, { name: file.name }))
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.setRequestHeader('idempotency-key', id)
    request.upload.addEventListener('progress', ({ loaded }) =>
      change(id, (upload) => ({ ...upload, sent: loaded })),
    )
    request.addEventListener('error', () => reject(new ApiError(unsent)))
    request.addEventListener('abort', () => reject(new ApiError(unsent)))
    request.addEventListener('load', () => {
      const { status, responseText } = request
      const isJson = request.getResponseHeader('content-type')?.includes('json') === true
      if (!isJson) reject(new ApiError(proxyProblem(status)))
      else if (status >= 400) reject(new ApiError(parseAnswer(responseText) as ApiProblem))
      else resolve({ file: parseAnswer(responseText) as CaseFile, isNew: status === 201 })
    })
    request.send(file)
  })
}

/** A proxy answered instead of Tocsin. */
function proxyProblem(status: number): ApiProblem {
  const problem = foreignProblem(status, 'once')
  if (status === 413)
    return {
      ...problem,
      title: 'The file is too large for the proxy',
      detail: 'A proxy in front of Tocsin refused it, although Tocsin allows files of this size.',
      hint: 'raise the limit of the proxy for request bodies, or attach a part of the file',
    }
  if (problem.code !== 'unreachable') return problem
  return {
    ...problem,
    detail: 'The server did not answer. The file may or may not be attached.',
    hint: 'check that the server is running, and try again: the file is attached only once',
  }
}

const unsent: ApiProblem = {
  title: 'The upload was interrupted',
  status: 0,
  code: 'unreachable',
  detail:
    'The connection ended before the server answered, or the file cannot be read. It may or may not be attached.',
  hint: 'check the network and the file, and try again: it is attached only once; to attach a folder, pack it into an archive',
}
