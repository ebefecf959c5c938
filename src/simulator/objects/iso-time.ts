/** Times of the model as Kubernetes writes them. */

export { printInstant as isoTime } from '../../api/time.ts';
