/** A quarter of the stories: four files, so that the cores share them evenly. */

import { checkStories } from './check-stories.ts';

checkStories({ first: 1, of: 4 });
