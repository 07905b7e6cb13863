import { setTimeout as sleep } from 'node:timers/promises'
import { createTurns } from '../../core/common/in-turn.ts'
import type { ConnectionPause } from '../../core/ports/nodes/signals.ts'
import type { PerformTask, SkillTask, TaskHooks } from '../../core/skill/call/perform-task.ts'
import { untilAborted } from '../../core/skill/http/until-aborted.ts'
import { SkillThread, type SkillThreadOptions } from './skill-thread-owner.ts'

const longestStartMs = 10_000

export interface SkillPoolOptions extends SkillThreadOptions {
  /** At least 1. */
  readonly threads: number
}

/**
 * Performs the tasks of skills in separate threads, so that a skill that hangs, crashes or takes all memory
 * ends only its thread.
 */
export interface SkillPool {
  readonly performTask: PerformTask
  /** Passes on a pause that another node, or one of the threads, was asked for. */
  pause(pause: ConnectionPause): void
  /** Starts the threads; resolves when each can take tasks, or has ended, at the latest after 10 seconds. */
  start(): Promise<void>
  /** Ends all threads, even busy ones. */
  close(): Promise<void>
}

/**
 * All calls of a connection share a thread: which holds its sockets, its token and its rate budgets. When a
 * thread is lost with several tasks in it, the cause is unknown: from then on their skills run one after the
 * other in a separate thread, until each has ended a call without ending the thread.
 */
export function createSkillPool(options: SkillPoolOptions): SkillPool {
  const suspects = new Set<string>()
  const watched: SkillThreadOptions = {
    ...options,
    onLost(reason, skills) {
      for (const skill of skills) suspects.add(skill)
      options.onLost(reason, skills)
    },
  }
  const threads = Array.from({ length: options.threads }, () => new SkillThread(watched))
  const apart = new SkillThread(watched)
  const inTurn = createTurns()

  function performApart(task: SkillTask, hooks: TaskHooks): Promise<unknown> {
    hooks.onEffect?.('none')
    return inTurn('apart', async () => {
      hooks.signal.throwIfAborted()
      const output = await untilAborted(apart.perform(task, hooks), hooks.signal)
      suspects.delete(task.skill)
      return output
    })
  }

  return {
    performTask: (task, hooks) =>
      suspects.has(task.skill) ? performApart(task, hooks) : threadOf(threads, task).perform(task, hooks),
    pause(pause) {
      for (const thread of [...threads, apart]) thread.pause(pause)
    },
    async start() {
      const started = Promise.all(threads.map((thread) => thread.start()))
      await Promise.race([started, sleep(longestStartMs, undefined, { ref: false })])
    },
    async close() {
      await Promise.all([...threads, apart].map((thread) => thread.close()))
    },
  }
}

function threadOf(threads: readonly SkillThread[], { connection }: SkillTask): SkillThread {
  if (connection === undefined) return threads.reduce((best, each) => (each.load < best.load ? each : best))
  const start = Number.parseInt(connection.connection.uuid.slice(-8), 16)
  return threads[start % threads.length]!
}
