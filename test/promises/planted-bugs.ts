/** Possible mistakes in the product, each of which a test of `promises.ts` must detect. */
export interface PlantedBug {
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}

export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'alerts with status Created are not resumed at the start': {
    file: 'server/take-up-and-stop.ts',
    find: 'await container.get(tokens.investigations).recover()',
    replace: '',
  },
  'unfinished runs are not resumed at the start': {
    file: 'server/take-up-and-stop.ts',
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
    find: "this.#connection.run('COMMIT')",
    replace: `for (const [index, outcome] of outcomes.entries()) if (!outcome.failed) group[index]?.resolve(outcome.value)
      this.#connection.run('COMMIT')`,
  },
  'a moved or replaced database file is not detected': {
    file: 'server/sqlite/stores.ts',
    find: 'fileGuard.require()\n      done(membership.require())',
    replace: 'done(membership.require())',
  },
  'a process that was replaced may still write': {
    file: 'server/sqlite/stores.ts',
    find: 'fileGuard.require()\n      done(membership.require())',
    replace: 'fileGuard.require()',
  },
  'a request needs no lease': {
    file: 'server/egress/network-error.ts',
    find: 'if (lease === undefined || lease.isHeld()) return undefined',
    replace: 'if (lease === undefined || !lease.isHeld() || lease.isHeld()) return undefined',
  },
  'a step needs no lease between its intent and its call': {
    file: 'core/engine/context/try-once.ts',
    find: 'if (local.lease?.isHeld() === false)',
    replace: 'if (local.lease === undefined && local.uuid === "")',
  },
  'a takeover does not wait for the end of the lease': {
    file: 'server/nodes/take-over.ts',
    find: 'await clock.sleep(patienceMs, never)',
    replace: '',
  },
  'the writes of a run are accepted in a turn that is over': {
    file: 'core/ports/runs/turn.ts',
    find: 'if (numberNow === turn.number) return',
    replace: 'if (numberNow !== -1) return',
  },
  'other nodes take over before the lease is over': {
    file: 'server/nodes/node-watch.ts',
    find: 'silentMs(id) > patienceMs',
    replace: 'silentMs(id) > patienceMs - 4_000',
  },
  'a removed node may write': {
    file: 'server/postgres/stores.ts',
    find: 'beforeCommit: () => (membership.hasJoined ? membership.require() : masterKey.require()),',
    replace: 'beforeCommit: function* () {},',
  },
  'commits do not wait for the standby': {
    file: 'server/postgres/driver/connection.ts',
    find: "WHERE current_setting('synchronous_commit') IN ('off', 'local')",
    replace: 'WHERE false',
  },
  'each node uses the whole rate limit': {
    file: 'core/skill/http/node-share.ts',
    find: 'const each = Math.floor(requests / nodes)',
    replace: 'const each = requests',
  },
  'a node uses the part of a lost one while its requests still count': {
    file: 'core/skill/http/node-share.ts',
    find: 'const delayMs = Math.min(limit.perMs, longestDelayMs)',
    replace: 'const delayMs = Math.min(limit.perMs, 0)',
  },
  'all organizations share one intake queue': {
    file: 'server/http/limits/intake-gate.ts',
    find: 'lines.push(organizationUuid, resolve)',
    replace: "lines.push('all', resolve)",
  },
  'the intent of a step is not recorded': {
    file: 'core/engine/journal/run-journal.ts',
    find: 'await writes.now(() => store.begin(runUuid, entry))',
    replace: 'entry.attempt > 99 ? await writes.now(() => store.begin(runUuid, entry)) : undefined',
  },
  'a step does not wait until its intent is stored': {
    file: 'core/engine/journal/run-journal.ts',
    find: 'await writes.now(() => store.begin(runUuid, entry))',
    replace: 'writes.later(() => store.begin(runUuid, entry))',
  },
  'an interrupted step is repeated regardless of its class': {
    file: 'core/engine/context/effect.ts',
    find: "if (work.interrupted === 'ask') {",
    replace: "if (work.kind === '') {",
  },
  'the outcome of an undo does not end its containment': {
    file: 'server/sql/containments/containment-rows.ts',
    find: `  yield* endUndone(context, ended)
  if (call.contains`,
    replace: '  if (call.contains',
  },
  'the undo of an expired containment does not claim it': {
    file: 'core/destructive/containment-expiry.ts',
    find: 'await control.start({ ...request, expiredAt: expiresAt, by: theExpiry })',
    replace: `await control.start({ ...request, undoes: undefined, by: theExpiry })
      await clock.sleep(200, new AbortController().signal)
      await stores.containments.settleExpiry(id, expiresAt, { kind: 'kept', note: '' })`,
  },
  'containments that expired while no process ran are not undone': {
    file: 'core/destructive/containment-expiry.ts',
    find: `watchExpiry(this.#wake)
    this.#wake()`,
    replace: 'watchExpiry(this.#wake)',
  },
  'an error of the condition of an expiry means false': {
    file: 'core/destructive/undo-condition.ts',
    find: "return { kind: 'overdue', note: `${unless} cannot be evaluated: ${error.message}` }",
    replace: '',
  },
  'the limit of destructive actions is off by one': {
    file: 'core/destructive/policy.ts',
    find: 'uses + wanted > limit',
    replace: 'uses > limit',
  },
  'the hour of destructive actions follows the system clock': {
    file: 'server/sql/limits/window-clock.ts',
    find: 'if (passed === undefined) return this.#clock.now()',
    replace: 'return this.#clock.now()',
  },
  'a start forgets earlier destructive actions': {
    file: 'server/sql/limits/window-clock.ts',
    find: 'Math.max(this.#clock.now(), yield* this.#newest())',
    replace: 'this.#clock.now()',
  },
  'after a restart, a step starts without its approval if the limit allows it': {
    file: 'core/engine/context/approval.ts',
    find: 'if (!begun && local.journal.entry(approvalPath(path)) !== undefined)',
    replace: 'if (begun && path === "")',
  },
  'any answer approves an action': {
    file: 'core/engine/context/approval.ts',
    find: 'if (!isApproval(answer)) return',
    replace: 'if (answer === null) return',
  },
  'refused actions of an approval are performed': {
    file: 'core/engine/steps/batch.ts',
    find: 'const refused = verdict.refusedItems.get(index)',
    replace: 'const refused = undefined',
  },
  'repeats of a killed process never end': {
    file: 'server/sql/runs/run-store.ts',
    find: 'isLeft = !(await this.write(work))',
    replace: 'isLeft = false',
  },
  'repeats do not end with the run': {
    file: 'server/sql/runs/run-transitions.ts',
    find: '!left.followers || (yield* settleFollowers(database, alert.row, changes.status, now))',
    replace: 'true',
  },
  'repeats complete although the first investigation failed': {
    file: 'core/transitions/grouping.ts',
    find: "group.firstStatus === alertStatus.failed ? 'take_over'",
    replace: "group.firstStatus === alertStatus.created ? 'take_over'",
  },
  'the result depends on the order in which work ends': {
    file: 'core/engine/steps/limited.ts',
    find: 'results[index] = await task(index)',
    replace: 'const value = await task(index)\n        results[next - 1] = value',
  },
  'a second answer replaces the first': {
    file: 'core/transitions/question.ts',
    find: 'if (state === openQuestion && at < timeoutAt)',
    replace: 'if (at < timeoutAt)',
  },
  'a timeout replaces an answer': {
    file: 'core/transitions/question.ts',
    find: 'state === openQuestion ? to : state',
    replace: 'to',
  },
  'the answer of another person counts': {
    file: 'core/inbound/judge-answer.ts',
    find: 'if (askedOf(checkpoint) !== answer.by)',
    replace: "if (answer.by === '')",
  },
  'a question of another connection can be answered': {
    file: 'core/inbound/question-page.ts',
    find: 'checkpoint.connection === name &&',
    replace: 'checkpoint.connection !== null &&',
  },
  'a repeated webhook call is processed again': {
    file: 'server/sql/connections/inbound-store.ts',
    find: 'return added === 1',
    replace: 'return added <= 1',
  },
  'a question that closed before a restart is not settled': {
    file: 'core/engine/context/ask.ts',
    find: `  if (recorded) {
    await settle(local, work)`,
    replace: '  if (recorded) {',
  },
  'a change of the system clock is not noticed': {
    file: 'core/engine/turns/alarms.ts',
    find: 'const longestNapMs = 5 * 60_000',
    replace: 'const longestNapMs = Infinity',
  },
  'a queued run is due at the time at which it was queued': {
    file: 'server/sql/runs/queue-run.ts',
    find: 'wakeAt: begun ? null : alwaysDue,',
    replace: 'wakeAt: begun ? null : now,',
  },
  'a woken run is due at the time at which it was woken': {
    file: 'server/sql/runs/run-turns.ts',
    find: `    alwaysDue,
    row,`,
    replace: `    Date.now(),
    row,`,
  },
  'ended waits are lost if the clock is set back': {
    file: 'core/engine/turns/runner.ts',
    find: 'clock.now() < this.#wokenAtMs && ',
    replace: 'clock.now() < 0 && ',
  },
  'a run that is taken too early is lost': {
    file: 'core/engine/turns/take-turn.ts',
    find: "if (taken === undefined || 'wakeAt' in taken) return taken",
    replace: "if (taken === undefined || 'wakeAt' in taken) return undefined",
  },
  'an alarm earlier than all others is ignored': {
    file: 'core/engine/turns/alarms.ts',
    find: 'if (heap[0]?.item === item) sleepUntilNext()',
    replace: 'if (heap.length === 1) sleepUntilNext()',
  },
  'a schedule keeps a time computed with a wrong clock': {
    file: 'core/transitions/run.ts',
    find: 'const maxClockStepMs = 3 * 3_600_000',
    replace: 'const maxClockStepMs = 9e15',
  },
  'a schedule fires once for each process': {
    file: 'server/sql/runs/schedule-store.ts',
    find: 'if (row.nextAt !== schedule.nextAt) return',
    replace: 'if (row.nextAt > 8e15) return',
  },
  'bodies have no size limit': {
    file: 'core/common/read-body.ts',
    find: 'const maxTextBytes = 10 * 1_048_576',
    replace: 'const maxTextBytes = 1024 * 1_048_576',
  },
  'the queue of an organization has no limit': {
    file: 'core/investigation/investigations.ts',
    find: 'queuedOf(organizationUuid) < maxQueued &&',
    replace: '',
  },
  'organizations do not take turns': {
    file: 'core/engine/turns/turn-queue.ts',
    find: 'if empty.\n      this.#queues.delete(organization)',
    replace: 'if empty.\n      if (countOf(queue) === 0) this.#queues.delete(organization)',
  },
  'sent requests do not count towards the rate limit': {
    file: 'core/skill/http/rate-bucket.ts',
    find: 'this.#times.push(at)',
    replace: 'if (at > now) this.#times.push(at)',
  },
  'a step that waits for the rate limit fails': {
    file: 'core/engine/context/next-try.ts',
    find: 'if (!(error instanceof RetryableError) || !isHeldUp(error)) return undefined',
    replace: 'if (error !== null) return undefined',
  },
  'Retry-After closes nothing': {
    file: 'core/skill/http/send-in-turn.ts',
    find: 'if (askedMs !== undefined)',
    replace: 'if (askedMs === -1)',
  },
  'an unavailable store fails the step': {
    file: 'core/engine/context/retry-class.ts',
    find: "storeTroubles: ReadonlySet<unknown> = new Set(['store_unavailable', 'store_busy'])",
    replace: 'storeTroubles: ReadonlySet<unknown> = new Set()',
  },
  'a damaged page is not reported': {
    file: 'server/sqlite/database/storage-errors.ts',
    find: "['SQLITE_CORRUPT', damaged],",
    replace: '',
  },
  'the disk probe writes nothing': {
    file: 'server/sqlite/file/database-file-guard.ts',
    find: 'await writeFile(path, room, { mode: 0o600 })',
    replace: '',
  },
  'SIGTERM aborts active work immediately': {
    file: 'core/engine/turns/runner.ts',
    find: 'clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})',
    replace: 'stopAll()',
  },
  'an action that must not be repeated is retried': {
    file: 'core/engine/context/next-try.ts',
    find: 'if (!mayRepeat(work) && mayHaveHappened(error)) return undefined',
    replace: '',
  },
  'the data directory is not locked': {
    file: 'server/sqlite/file/lock.ts',
    find: "file.script('BEGIN EXCLUSIVE')",
    replace: "file.script('BEGIN')",
  },
  'no run is suspected after a crash': {
    file: 'server/sql/runs/run-turns.ts',
    find: 'convictions = convictions + alone',
    replace: 'convictions = convictions',
  },
  'every active run is suspected after a crash': {
    file: 'server/sql/runs/run-turns.ts',
    find: 'convictions = convictions + alone',
    replace: 'convictions = convictions + 1',
  },
  'many suspects block all other runs': {
    file: 'core/engine/recovery/plan-watch.ts',
    find: 'allMs / Math.max(1, groups.length)',
    replace: 'dueMs',
  },
  'a run that was watched at a crash is not suspected more': {
    file: 'core/engine/recovery/plan-watch.ts',
    find: 'markedCrashes: most + perCrash - 1',
    replace: 'markedCrashes: most',
  },
  'a planned stop counts as a crash': {
    file: 'core/engine/turns/runner.ts',
    find: 'await stores.runs.forgetCrashes()',
    replace: 'await Promise.resolve()',
  },
  'a run is given up after one crash alone': {
    file: 'core/engine/recovery/quarantine.ts',
    find: 'if (soloCrashes < proof)',
    replace: 'if (soloCrashes === 0)',
  },
  'an alert that crashes the process is retried forever': {
    file: 'core/investigation/investigations.ts',
    find: 'return alert.recoveryAttempts >= maxRecoveryAttempts',
    replace: 'return alert.recoveryAttempts >= 1e9',
  },
  'paths of steps differ from the previous release': {
    file: 'core/engine/journal/paths.ts',
    find: "return path === '' ? key : `${path}/${key}`",
    replace: "return path === '' ? `.${key}` : `${path}/${key}`",
  },
  'a retry does not know completed steps': {
    file: 'core/engine/turns/run-turn.ts',
    find: ' && run.retryOf === null',
    replace: '',
  },
  'a retry starts before the journal is copied completely': {
    file: 'server/sql/runs/run-transitions.ts',
    find: '  if (run.retryOf !== null) yield* requireCompleteCopy(database, run.id)\n  if (yield* isTaken',
    replace: '  if (isTaken',
  },
  'a retry carries over failed steps': {
    file: 'core/retry/carry-over.ts',
    find: "journal.undo((await inTurns(walkSteps(comparison, steps, '', thread))).undo)",
    replace: "await inTurns(walkSteps(comparison, steps, '', thread))",
  },
  'a retry does not verify earlier effects': {
    file: 'core/engine/context/try-once.ts',
    find: 'progress.isFirst ? [] : await earlierKeys(local, work, input)',
    replace: 'progress.isFirst ? await earlierKeys(local, work, input) : []',
  },
  'an edited step counts as unchanged': {
    file: 'core/retry/walk.ts',
    find: 'definitionText(step) !== definitionText(old)',
    replace: "definitionOf(step) === ''",
  },
  'a retry carries over interrupted steps': {
    file: 'core/retry/comparison.ts',
    find: 'isCancelled(entry) || isOutOfTime(entry)',
    replace: "entry.path === ''",
  },
  'an event stays after its runs were queued': {
    file: 'server/sql/triggers/trigger-store.ts',
    find: "'DELETE FROM trigger_events WHERE id = ? RETURNING organization_id AS organization, subject_id AS subject'",
    replace:
      "'SELECT organization_id AS organization, subject_id AS subject FROM trigger_events WHERE id = ?'",
  },
  'a playbook may start because of its own run': {
    file: 'core/transitions/trigger/start-rules.ts',
    find: 'if (chain.includes(playbookName))',
    replace: 'if (chain.length > 99)',
  },
  'an observable starts a playbook with every further alert': {
    file: 'core/transitions/trigger/start-rules.ts',
    find: '!isFromFuture(firedAt, now) && firedAt > alertAt - withinMs',
    replace: 'isFromFuture(firedAt, now) && firedAt < alertAt - withinMs',
  },
  'a replay calls skills that write': {
    file: 'core/backtest/recorded-caller.ts',
    find: "return found.effect === 'write'",
    replace: "return found.name === ''",
  },
  'a shadow may call any skill': {
    file: 'core/shadow/shared-reads.ts',
    find: "if (found?.effect !== 'read' || found.asks === true || given.purpose !== 'run')",
    replace: 'if (given.skill === "")',
  },
  'a playbook in shadow can be started': {
    file: 'core/engine/turns/queue-run.ts',
    find: 'if (shadow === undefined) return',
    replace: 'if (shadow === undefined || name !== "") return',
  },
}
