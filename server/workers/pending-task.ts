import { RetryableError, type Effect } from '../../core/plugin/index.ts'
import type { SkillTask, TaskHooks } from '../../core/skill/call/perform-task.ts'
import { endEffect, type EffectMemory } from './effect-flag.ts'

/** A task that was given to a thread, or waits for one. */
export interface PendingTask {
  readonly task: SkillTask
  readonly hooks: TaskHooks
  /** Undefined: the task changes nothing. */
  readonly effect: EffectMemory | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Stops listening to the signal of the task. */
  readonly forget: () => void
}

/**
 * Fails the tasks of a thread that has ended: with `skill_crashed` where one was alone and is to blame, else
 * with `thread_lost`.
 */
export function failLost(lost: readonly PendingTask[], reason: string): void {
  const isAlone = lost.length === 1
  for (const { task, effect: memory, reject, forget } of lost) {
    forget()
    const effect = memory && (endEffect(memory) ?? 'unknown')
    reject((isAlone ? skillCrashed : threadLost)(task.skill, reason, effect))
  }
}

/** Fails tasks that no thread has begun; another thread starts after `waitMs` milliseconds. */
export function failUnstarted(tasks: readonly PendingTask[], reason: string, waitMs: number): void {
  for (const { reject, forget } of tasks) {
    forget()
    reject(notStarted(reason, waitMs))
  }
}

export const notStarted = (reason: string, waitMs: number): RetryableError =>
  new RetryableError('thread_lost', `the thread that runs skills cannot start: ${reason}`, {
    hint: 'the step is tried again; restart Tocsin if plugins were changed or removed',
    details: { sent: false },
    retryAfterMs: waitMs,
  })

const skillCrashed = (skill: string, reason: string, effect: Effect | undefined): RetryableError =>
  new RetryableError('skill_crashed', `'${skill}' ended its thread: ${reason}`, {
    hint: 'the plugin has a bug, or its input is too large for it: report it to the plugin’s author',
    effect,
  })

const threadLost = (skill: string, reason: string, effect: Effect | undefined): RetryableError =>
  new RetryableError(
    'thread_lost',
    `the thread of '${skill}' ended (${reason}) while several skills ran in it`,
    {
      hint: 'the skill is called again, alone',
      effect,
    },
  )
