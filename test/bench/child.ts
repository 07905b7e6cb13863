import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answers } from './answer-parent.ts'

/** A script of this folder running as a process of its own. */
export interface Child<T> {
  /** Its message when it was ready. */
  readonly said: T
  ask<Question extends keyof Answers>(question: Question): Promise<Answers[Question]>
  stop(): Promise<void>
}

/** Starts a script and resolves when it is ready; see `answerParent`. */
export async function startChild<T>(
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Child<T>> {
  const child = fork(join(import.meta.dirname, script), {
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
  })
  const exited = once(child, 'exit')
  const ended = exited.then(() => Promise.reject(new Error(`${script} ended too early`)))
  ended.catch(() => {})
  const next = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), ended]))[0]
  const said = (await next()) as T
  return {
    said,
    async ask<Question extends keyof Answers>(question: Question) {
      const answer = next()
      child.send(question)
      return (await answer) as Answers[Question]
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
