"""English turns with labels; `felt_turns` describes their form."""

from typing import Final

ENGLISH: Final = """
# joy +!
It works!!! I could hug you right now
yay, all 42 tests pass on the first try
omg this is exactly what I had in my head, I love it
Best code review I've had in years, made my day
haha yes!! that did the trick
I'm smiling ear to ear, the demo ran without a hitch
This turned out way better than I had dared to imagine
woohoo! we're live!
I got the job!!
Dude, this is sick. So slick.
I can't stop grinning, the animation looks gorgeous
the baby slept through the night for the first time, I feel like a new person
# relief +!
phew, the backup was there. I thought I'd lost everything
Thank goodness, the restore worked and no data is missing
ok good, my heart rate can come back down now, prod is back up
What a load off my mind, the audit passed
Finally! Three days on this bug and it's gone
I can finally sleep tonight, the migration went through
The test came back negative, huge weight off my shoulders
That was a close one, lucky us that staging caught it
so it was just a typo?? oh thank god
At last the flaky test is gone, I can breathe again
# thanks +!
You're a lifesaver, I'd have been here all night
I really appreciate your patience with me, it means a lot
Thank you so much, you explained that better than any of my professors
Thanks a million, that saved me hours
tysm, you rock!
I can't thank you enough for this
You have no idea how much this helped
Bless you, that was exactly the missing piece
Wow, thanks! Couldn't have figured this out on my own
Really grateful you caught that before I pushed it
# praise +
Good job on the summary.
Nice, that reads much better.
Looks good to me, cleaner than before.
That's a clever approach.
Neat, didn't know about that flag.
Perfect, that's what I meant.
Thanks, that works now.
Great, the output is right.
# pride +!
I'm proud of what we built here, the benchmark is 5x faster
nailed it on the first deploy
Check this out, I wrote my first compiler and it actually runs!
My PR got merged into the kernel, I still can't believe I pulled that off
We shipped it two weeks early and the client applauded
I finally understand monads, took me a year but I got there
I beat my personal best at the marathon today!
Feeling pretty accomplished, closed the last ticket of the milestone
# excitement +!
I'm so pumped to try this out tonight
Can't wait to show this to the team!!
ooh this is gonna be awesome
I'm super excited, we start the new project on Monday
Let's gooo, this feature is going to blow their minds
Counting the days until the launch, I'm buzzing
I am itching to get started on the renderer
This is so cool, I want to play with it all weekend
# frustration -!
Ugh, it still doesn't work. I've tried everything.
I've lost hours on this stupid config
this is driving me up the wall, the same test goes red every time I touch anything
I'm fed up with this webpack setup
argh why does it keep reverting my changes
Had enough of YAML for one lifetime
Why is this so hard?! It should be a one-line change
You did it again. I asked you three times not to touch that file.
I'm so sick and tired of flaky tests
that's the fifth time you've given me the same wrong answer
For heaven's sake, just leave the imports alone
I keep going around in circles and nothing I try makes any difference
It's maddening, it passes locally and fails in CI with no message at all
can you please just do what I asked for once
my patience is running out
every single time I fix one thing two others break
This makes zero sense and I've wasted my entire Saturday on it
nope. wrong again. not even close.
# anger -!
What the actual hell, you wiped my uncommitted work
This is unacceptable. You deleted the production table!
ffs stop rewriting my code
I'm livid, they merged it without a review
Who on earth wrote this garbage??
don't you dare touch my .env again
screw this, I'm reverting everything
Are you even reading what I write?
My blood is boiling, he took credit for my work in front of everyone
I hate this language with a passion
# despair -!
I give up, nothing works
I don't know what to do anymore, I've hit a dead end
fml the whole branch is gone
I'm at my wits' end, please help
We're doomed, the demo is in an hour and nothing loads
It's hopeless, I'll never understand pointers
I feel like such a fraud, everyone else gets this
I'm ready to throw my laptop out of the window
I just want to curl up and cry
I'm never going to finish this thesis
# tiredness -!
I'm exhausted, been at this since 5am
so burnt out I can barely read my own code
My brain is fried, can you just summarize it
I can't keep my eyes open, third night in a row on call
This on-call rotation is wearing me down
I'm running on empty after this release
I'm so drained I have nothing left to give
# anxiety -!
I'm nervous about tomorrow's presentation
worried sick about the production migration tonight
What if I break prod? My hands are shaking
I have a bad feeling about this deploy
I'm freaking out, the interview is in two hours
I keep second-guessing myself and can't sleep over this
Kind of panicking here, the disk is filling up and I can't stop it
I feel out of my depth with this codebase
The deadline is breathing down my neck and I'm nowhere near done
My stomach is in knots waiting for the results
# fear -!
I'm scared to push this button
It terrifies me how little I understand of this auth code
I'm petrified of losing the customer data
I live in dread of the next outage
that gave me chills, someone had root on our box for weeks
I'm afraid I'll get fired over this
# sadness -!
I'm gutted, the project got cancelled
My dog died this morning and I can't focus
It breaks my heart to delete all this work
I feel down today, nothing feels worth doing
Didn't get the promotion. Crushed.
I miss my old team so much
He left without even saying goodbye, I can't stop crying
We lost the pitch, everybody worked so hard. I'm heartbroken
My grandma is in hospital and it doesn't look good
# loneliness -!
Nobody at work talks to me, I feel invisible
I'm the only developer here and it gets so lonely
you're the only one I can talk to about this
I moved here a year ago and still don't have a single friend
Everyone went to lunch without me again
# surprise +!
Whoa, that's fast! I did not expect that at all, amazing
No way, it just works?! Incredible
Holy cow, from 40 seconds to 200 ms!
# surprise -!
wtf, where did all my files go?
Holy crap, the bill is 12,000 dollars!!
Oh no no no, that was the live database
# sarcasm -!
Great, another merge conflict. Just what I needed.
Oh wonderful, it deleted the wrong folder
Well that's just peachy, prod is down on a Friday
Brilliant work, now nothing compiles
Thanks for nothing
Sure, because what I really wanted was 300 new lint errors
Love it when the docs are wrong
Yeah right, "it's fixed"
Congratulations, you broke it even more
# negated-feeling -!
I'm not happy with this solution
This isn't good enough
I don't like where this is going
I can't say I'm thrilled with the result
That was not helpful at all
There is nothing great about this refactoring
# negated-calm 0
I'm not worried about performance here
No need to panic, it's only the staging box
I'm not angry, just asking why it changed
don't be afraid to delete dead code
No rush and no stress, next week is fine
It isn't urgent, look at it when you get to it
# politeness 0
Could you please rename the variable? Thanks in advance.
It'd be great if you could add a docstring
I'd appreciate it if you kept the diff small
Please and thank you: sort the imports
Sorry to bother you, which file holds the routes?
Hope you're well. Please review the attached function.
I'd love to see the same for the second table
ok thanks, next: the footer
Would you be so kind as to check the spelling?
Good morning, let's continue where we left off
# report 0
The child process died with exit code 137
There is a fatal error in the log after startup
panic in main.go: index out of range
The test fails on Windows but passes on Linux
Messages end up in the dead letter queue after five retries
The worker was killed by the OOM killer
Build aborted, the linker could not find libssl
Garbage collection pauses take 300 ms under load
The login form is broken on Safari since yesterday
We get an unhappy-path response with status 422
The server crashes when the payload is larger than 2 MB
Failed to connect to the database, connection refused
The spinner hangs forever if the token has expired
The cron job silently fails when the disk is full
Users lost their sessions after the redeploy
There's a race condition, so the cache returns wrong values
The animation is slow on old phones
This function is a mess of nested callbacks, 400 lines long
The API returns an ugly stack trace instead of a message
Half of the records are missing after the import
# question 0
Why does the build fail with exit code 2?
What happens if the master node dies during a failover?
How do I kill a process that listens on port 8080?
Is it safe to force push after a rebase?
What is the difference between panic and fatal in Go?
Can you explain why this regex is so greedy?
Which exception is raised when the file is missing?
Do I have to worry about integer overflow here?
What's the worst case complexity of this sort?
When should I prefer composition over inheritance?
Is there a better way to write this loop?
How would I test the error path?
What would you recommend for lunch near Shibuya?
Does the new parser handle broken HTML?
# instruction 0
Kill the worker and restart it
Abort the transaction if the balance is negative
Add a retry with exponential backoff to the client
Make the error message friendlier
Remove the sad path from the docs
Log a warning when the heartbeat is lost
Set the alert level to critical for failed payments
Write a test that fails without this patch
Replace the nasty hack in utils.ts with a proper type
Use the awesome-list format for the README
Drop the table and recreate it from the migration
Trap the signal and let the children die gracefully
Add the happy birthday template to the mailer
Run the stress tests against staging and list what breaks
"""
