/** Which product an alert comes from, and what it says: title, severity, time and observables. */
export type { AlertSource } from './alert-source.ts'
export {
  describeAlert,
  readAlertFacts,
  type AlertDescription,
  type AlertObservable,
} from './describe-alert.ts'
export { alertSources } from './sources/index.ts'
