/** Recognizes the product of an alert and reads its title, severity, time and observables. */
export type { SendingWay } from './alert-source.ts'
export { describeAlert, identifyAlert } from './describe-alert.ts'
export { alertSources } from './sources/index.ts'
