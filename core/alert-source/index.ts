/** Recognizes the product of an alert and reads its title, severity, time and observables. */
export type { SendingWay } from './alert-source.ts'
export { subjectsOf } from './alert-subjects.ts'
export { describeAlert, identifyAlert } from './describe-alert.ts'
export { alertSources } from './sources/index.ts'
