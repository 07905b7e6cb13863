/** Mistakes that somebody could make in the product, each of which a proof of `promises.ts` has to notice. */
export interface PlantedBug {
  readonly file: string
  /** Stands in the file once. */
  readonly find: string
  readonly replace: string
}

export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'alerts left Created are not taken up at the start': {
    file: 'server/main.ts',
    find: 'await container.get(tokens.investigations).recover()',
    replace: '',
  },
  'runs left unfinished are not taken up': {
    file: 'server/main.ts',
    find: 'await container.get(tokens.runner).recover()',
    replace: '',
  },
  'commits do not wait for the disk': {
    file: 'server/sqlite/file/open-database.ts',
    find: "'synchronous = FULL'",
    replace: "'synchronous = NORMAL'",
  },
  'writes are acknowledged before the commit': {
    file: 'server/sqlite/database/group-commit.ts',
    find: "this.#database.run('COMMIT')",
    replace: `for (const [index, outcome] of outcomes.entries()) if (!outcome.failed) group[index]?.resolve(outcome.value)
      this.#database.run('COMMIT')`,
  },
  'nobody looks whether the database is where it was opened': {
    file: 'server/sqlite/stores.ts',
    find: 'beforeCommit: () => fileGuard.require(),',
    replace: '',
  },
  'organizations share one line in front of the store': {
    file: 'server/http/limits/intake-gate.ts',
    find: 'lines.push(organizationUuid, resolve)',
    replace: "lines.push('all', resolve)",
  },
  'the intent of a step is not recorded': {
    file: 'core/engine/journal/run-journal.ts',
    find: 'await writes.now(() => store.begin(runUuid, entry))',
    replace: 'entry.attempt > 99 ? await writes.now(() => store.begin(runUuid, entry)) : undefined',
  },
  'the intent of a step is not waited for': {
    file: 'core/engine/journal/run-journal.ts',
    find: 'await writes.now(() => store.begin(runUuid, entry))',
    replace: 'writes.later(() => store.begin(runUuid, entry))',
  },
  'a step that was interrupted is repeated, whatever its class': {
    file: 'core/engine/context/effect.ts',
    find: "if (work.interrupted === 'ask') {",
    replace: "if (work.kind === '') {",
  },
  'one more use of a destructive skill begins than may': {
    file: 'core/destructive/policy.ts',
    find: 'uses + wanted > limit',
    replace: 'uses > limit',
  },
  'the hour of destructive skills follows the time of day': {
    file: 'server/sqlite/checkpoints/destructive-uses.ts',
    find: 'if (passed === undefined) return this.#clock.now()',
    replace: 'return this.#clock.now()',
  },
  'the hour of destructive skills forgets earlier uses at a start': {
    file: 'server/sqlite/checkpoints/destructive-uses.ts',
    find: 'Math.max(this.#clock.now(), this.#newest())',
    replace: 'this.#clock.now()',
  },
  'a step that waits for an approval begins after a restart where there is room': {
    file: 'core/engine/context/approval.ts',
    find: 'if (!begun && local.journal.entry(approvalPath(path)) !== undefined)',
    replace: 'if (begun && path === "")',
  },
  'whatever is answered approves a use': {
    file: 'core/engine/context/approval.ts',
    find: 'if (isApproval(answer)) return',
    replace: 'if (answer !== null) return',
  },
  'repeats that a killed process left behind never end': {
    file: 'server/sqlite/runs/run-store.ts',
    find: 'return !settleLeftBehind(this.database, this.clock.now())',
    replace: 'return false',
  },
  'repeats do not end with the run': {
    file: 'server/sqlite/runs/run-transitions.ts',
    find: 'settleFollowers(database, alertRow, changes.status, now)',
    replace: 'void settleFollowers',
  },
  'repeats are taken for investigated where the first one failed': {
    file: 'core/transitions/grouping.ts',
    find: "group.firstStatus === alertStatus.failed ? 'take_over'",
    replace: "group.firstStatus === alertStatus.created ? 'take_over'",
  },
  'the order in which work ends decides': {
    file: 'core/engine/steps/limited.ts',
    find: 'results[index] = await task(index)',
    replace: 'const value = await task(index)\n        results[next - 1] = value',
  },
  'a second answer takes the place of the first': {
    file: 'core/transitions/question.ts',
    find: 'if (state === openQuestion && at < timeoutAt)',
    replace: 'if (at < timeoutAt)',
  },
  'a timeout takes the place of an answer': {
    file: 'core/transitions/question.ts',
    find: 'state === openQuestion ? to : state',
    replace: 'to',
  },
  'the answer of somebody who was not asked counts': {
    file: 'core/inbound/judge-answer.ts',
    find: 'if (askedOf(checkpoint) !== answer.by)',
    replace: "if (answer.by === '')",
  },
  'a question of another connection can be answered': {
    file: 'core/inbound/inbound.ts',
    find: 'checkpoint.connection !== name',
    replace: 'checkpoint.connection === null',
  },
  'a repeat of what was sent is taken again': {
    file: 'server/sqlite/connections/inbound-store.ts',
    find: 'return added === 1',
    replace: 'return added <= 1',
  },
  'a question that was over before a restart is not settled': {
    file: 'core/engine/context/ask.ts',
    find: `  if (recorded) {
    await settle(local, work)`,
    replace: '  if (recorded) {',
  },
  'a clock that is set is not looked at': {
    file: 'core/engine/turns/alarms.ts',
    find: 'const longestNapMs = 5 * 60_000',
    replace: 'const longestNapMs = Infinity',
  },
  'a queued run has the time at which it was queued': {
    file: 'server/sqlite/runs/run-transitions.ts',
    find: 'wakeAt: turnHasCome,',
    replace: 'wakeAt: now,',
  },
  'a run that was woken has the time at which it was': {
    file: 'server/sqlite/runs/run-turns.ts',
    find: `    turnHasCome,
    row,`,
    replace: `    Date.now(),
    row,`,
  },
  'waits that had ended are lost where the clock is set back': {
    file: 'core/engine/turns/runner.ts',
    find: 'clock.now() < this.#wokenAtMs && ',
    replace: 'clock.now() < 0 && ',
  },
  'a run that is taken too early is forgotten': {
    file: 'core/engine/turns/take-turn.ts',
    find: "if (taken === undefined || 'wakeAt' in taken) return taken",
    replace: "if (taken === undefined || 'wakeAt' in taken) return undefined",
  },
  'what rings earlier than all others is not looked at': {
    file: 'core/engine/turns/alarms.ts',
    find: 'if (heap[0]?.item === item) sleepUntilNext()',
    replace: 'if (heap.length === 1) sleepUntilNext()',
  },
  'a schedule trusts the clock that was wrong': {
    file: 'core/transitions/run.ts',
    find: 'const maxClockStepMs = 3 * 3_600_000',
    replace: 'const maxClockStepMs = 9e15',
  },
  'a schedule fires for whoever comes': {
    file: 'server/sqlite/runs/schedule-store.ts',
    find: 't.playbook_name = ? AND t.next_at = ?`',
    replace: 't.playbook_name = ? AND t.next_at <= 8e15 + ?`',
  },
  'a body may be as large as it likes': {
    file: 'core/common/read-body.ts',
    find: 'const maxTextBytes = 10 * 1_048_576',
    replace: 'const maxTextBytes = 1024 * 1_048_576',
  },
  'an organization’s line has no end': {
    file: 'core/investigation/investigations.ts',
    find: 'queuedOf(organizationUuid) < maxQueued &&',
    replace: '',
  },
  'organizations do not take turns': {
    file: 'core/engine/turns/turn-queue.ts',
    find: 'if empty.\n      this.#queues.delete(organization)',
    replace: 'if empty.\n      if (countOf(queue) === 0) this.#queues.delete(organization)',
  },
  'what was sent is not remembered': {
    file: 'core/skill/http/rate-bucket.ts',
    find: 'this.#times.push(at)',
    replace: 'if (at > now) this.#times.push(at)',
  },
  'a step that waits for its turn has failed': {
    file: 'core/engine/context/next-try.ts',
    find: 'if (!(error instanceof RetryableError) || !(isOverBudget(error) || isThreadLost(error))) return undefined',
    replace: 'if (error !== null) return undefined',
  },
  'Retry-After closes nothing': {
    file: 'core/skill/http/send-in-turn.ts',
    find: 'if (askedMs !== undefined)',
    replace: 'if (askedMs === -1)',
  },
  'a store that is held up fails the step': {
    file: 'core/engine/context/retry-class.ts',
    find: "storeTroubles: ReadonlySet<unknown> = new Set(['store_unavailable', 'store_busy'])",
    replace: 'storeTroubles: ReadonlySet<unknown> = new Set()',
  },
  'a damaged page is nothing special': {
    file: 'server/sqlite/database/storage-errors.ts',
    find: "['SQLITE_CORRUPT', damaged],",
    replace: '',
  },
  'a probe writes nothing': {
    file: 'server/sqlite/file/database-file-guard.ts',
    find: 'await writeFile(path, room, { mode: 0o600 })',
    replace: '',
  },
  'what is under way is cut off at once when the process is told to stop': {
    file: 'core/engine/turns/runner.ts',
    find: 'clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})',
    replace: 'stopAll()',
  },
  'what must not be repeated is tried again': {
    file: 'core/engine/context/next-try.ts',
    find: 'if (!mayRepeat(work) && mayHaveHappened(error)) return undefined',
    replace: '',
  },
  'the data directory is not claimed': {
    file: 'server/sqlite/file/lock.ts',
    find: "file.script('BEGIN EXCLUSIVE')",
    replace: "file.script('BEGIN')",
  },
  'nobody is suspected of bringing the process down': {
    file: 'server/sqlite/runs/run-turns.ts',
    find: 'convictions = convictions + alone',
    replace: 'convictions = convictions',
  },
  'whoever was under way is suspected': {
    file: 'server/sqlite/runs/run-turns.ts',
    find: 'convictions = convictions + alone',
    replace: 'convictions = convictions + (crashes > 1)',
  },
  'many suspects hold up everything for long': {
    file: 'core/engine/turns/plan-watch.ts',
    find: 'allMs / Math.max(1, groups.length)',
    replace: 'dueMs',
  },
  'who was watched at a crash is as likely as others': {
    file: 'core/engine/turns/plan-watch.ts',
    find: 'markedCrashes: most + perCrash - 1',
    replace: 'markedCrashes: most',
  },
  'a stop that was meant counts as a crash': {
    file: 'core/engine/turns/runner.ts',
    find: 'await stores.runs.forgetCrashes()',
    replace: 'await Promise.resolve()',
  },
  'who was alone at one crash is given up': {
    file: 'core/engine/turns/quarantine.ts',
    find: 'if (convictions < proof)',
    replace: 'if (convictions === 0)',
  },
  'an alert is taken up again and again': {
    file: 'core/investigation/investigations.ts',
    find: 'return alert.takeUps >= maxTakeUps ?',
    replace: 'return alert.takeUps >= 1e9 ?',
  },
  'places in a run have other names than in the release before': {
    file: 'core/engine/journal/paths.ts',
    find: "return path === '' ? key : `${path}/${key}`",
    replace: "return path === '' ? `.${key}` : `${path}/${key}`",
  },
  'a retry does not know what was done': {
    file: 'core/engine/turns/run-turn.ts',
    find: ' && run.retryOf === null',
    replace: '',
  },
  'a retry begins with a part of what was done': {
    file: 'server/sqlite/runs/run-transitions.ts',
    find: '  if (run.retryOf !== null) requireCompleteCopy(database, run.id)\n  if (isTaken',
    replace: '  if (isTaken',
  },
  'a retry carries over what failed': {
    file: 'core/retry/carry-over.ts',
    find: "journal.undo((await inTurns(walkSteps(comparison, steps, '', thread))).undo)",
    replace: "await inTurns(walkSteps(comparison, steps, '', thread))",
  },
  'a retry does not ask what became of the run before': {
    file: 'core/engine/context/try-once.ts',
    find: 'progress.isFirst ? [] : await earlierKeys(local, work, input)',
    replace: 'progress.isFirst ? await earlierKeys(local, work, input) : []',
  },
  'an edited step is taken for the same': {
    file: 'core/retry/walk.ts',
    find: 'definitionText(step) !== definitionText(old)',
    replace: "definitionOf(step) === ''",
  },
  'a retry carries over what was cut off': {
    file: 'core/retry/comparison.ts',
    find: 'isCancelled(entry) || isOutOfTime(entry)',
    replace: "entry.path === ''",
  },
}
