import { describePlugin } from 'tocsin/plugin/testing'
import plugin from './plugin.ts'

describePlugin(plugin, { folder: import.meta.dirname })
