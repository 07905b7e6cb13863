import type { PlaybookLibrary } from '../core/investigation/playbook-library.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import type { Log } from '../core/ports/log.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { Config } from './config/config.ts'
import { digestSettings } from './config/shared-settings.ts'
import { tokens, type ContainerToken } from './container-tokens.ts'
import { NewerRuns } from './nodes/newer-runs.ts'
import { listNodes } from './nodes/node-list.ts'
import { createNodeReporter, type NodeReporterOptions } from './nodes/node-report.ts'
import type { OpenNode } from './nodes/open-node.ts'
import { createNodeFollower } from './nodes/signals/follow-nodes.ts'
import { readStandbys } from './nodes/standby-file.ts'
import { takeOverPlaybooks } from './register-run-starters.ts'

interface NodeComposition {
  readonly config: Config
  readonly stores: Stores
  readonly library: PlaybookLibrary
  readonly catalogue: Catalogue
  readonly node: OpenNode
  readonly lastError: NodeReporterOptions['lastError']
  readonly log: Log
  readonly get: <T>(token: ContainerToken<T>) => T
  readonly register: <T>(token: ContainerToken<T>, make: () => T) => void
}

/** What a process does as one of several on the store. */
export function registerNode(composition: NodeComposition): void {
  const { get, register, config, stores, library, catalogue, node, log, lastError } = composition
  const { signals, exclusive } = node.cluster
  register(tokens.nodeFollower, () =>
    exclusive.isShared
      ? createNodeFollower({
          signals,
          runner: get(tokens.runner),
          pauses: get(tokens.pauses),
          investigations: get(tokens.investigations),
          library,
          onPlaybooks: () => takeOverPlaybooks(get),
          scheduler: get(tokens.scheduler),
          onConfiguration: () => stores.forgetConfiguration(),
          onConnectionPaused(pause) {
            get(tokens.traffic).budgets.pauseHere(pause)
            get(tokens.skillPool)?.pause(pause)
          },
          connectionPauses: () => get(tokens.traffic).budgets.pauses(),
          clock: get(tokens.clock),
          log,
        })
      : undefined,
  )
  register(tokens.draining, () => new AbortController())
  register(tokens.caughtUp, () => new AbortController())
  register(tokens.nodeReport, () =>
    createNodeReporter({
      load: () => get(tokens.runner).load(),
      working: () => get(tokens.runner).working(),
      suspects: () => get(tokens.runner).suspects(),
      lastError,
      isDraining: () => get(tokens.draining).signal.aborted,
      rates: () => get(tokens.storms).own(),
      folder: () => library.folderReport(),
      settings: exclusive.isShared ? digestSettings(config, catalogue) : undefined,
    }),
  )
  register(
    tokens.newerRuns,
    () =>
      new NewerRuns({
        runs: stores.runs,
        nodes: stores.nodes,
        isShared: exclusive.isShared,
        clock: get(tokens.clock),
        log,
      }),
  )
  register(
    tokens.nodeList,
    () => () =>
      listNodes({
        nodes: stores.nodes,
        node,
        report: get(tokens.nodeReport),
        standbys: () => readStandbys(config.dataDir),
        newerRuns: get(tokens.newerRuns),
      }),
  )
}
