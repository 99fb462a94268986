"""Further English turns with labels, all for the tuning of the lexicon; `felt_turns` describes their form."""

from typing import Final

ENGLISH_FURTHER: Final = """
# good +!
That worked perfectly, I'm thrilled!
I'm relieved that nothing was deleted
You explained this beautifully, thank you so much
We finally shipped, what a feeling
I adore this little script, it makes my mornings easier
My son got into his dream school!
I feel hopeful again after reading your plan
This made my evening
It's running on all servers, hooray
So grateful for your help tonight
I ran it again and every single check is green. What a day!
This is the cleanest diff I've seen from you, I'm really impressed
You just saved me from a very awkward Monday morning
I had almost lost faith in this project, and now it flies
Sweet, that was the last blocker. Beers on me tonight
She loved the prototype, I'm over the moon
My talk got accepted at PyCon!
I slept like a baby knowing the backups are fine
That explanation finally made it click for me, wonderful
Three months of work and today it went live. I'm so happy
I really enjoy working with you on this
Honestly this is the best tool I've used in a decade
The kids laughed so hard at the game I made for them
It compiled. First time. I'm speechless, in a good way
You're a wizard, how did you even spot that?
Best. Refactoring. Ever.
I got promoted to staff engineer today!
My mom is out of surgery and doing fine, I'm so relieved
Today was a really good day, we closed all the bugs
That's hilarious, you made me laugh out loud
I'm delighted with how the charts came out
We made it into the finals, the whole team is celebrating
Thanks, you've been incredibly helpful today
I was dreading this migration, and it took five minutes. Amazing
I feel much better after talking to you
It's such a joy to write code again
Yes yes yes, the pipeline is finally passing!
I'm really happy with how clean this turned out
Thank you, you've just made my week
This gives me so much confidence for the launch
Oh thank heavens, git reflog saved my branch
My daughter took her first steps today, I'm in tears of joy
We hit ten thousand users this morning, unbelievable!
I love how simple this became
Feels amazing to see it run on real hardware
Brilliant! I would never have thought of that
I passed my certification, I'm so proud
That's a huge relief, I was sure we had leaked data
I finally beat that bug, feels so good
Wow, you did all that in ten seconds? Unreal.
I'm grinning like an idiot, my first game is on Steam
Thank you for being so patient with me, truly
What a beautiful solution, I'm in love with it
We got funded! I still can't process it
I was so sure it was corrupted, thank goodness it wasn't
Kudos, this is a great piece of work
I've been smiling all day since the release
Our users adore the new editor, I'm so pleased
# bad -!
I'm about to lose my mind with these merge conflicts
This is so discouraging, nothing I write passes review
Stop. You're making it worse.
I feel sick thinking about the demo
I lost my whole day to a missing semicolon
My cat is sick and I can't work
I hate how slow this has become
You forgot half of what I asked, again
I'm panicking, the certificate expires in ten minutes
I'm tired of fixing the same bug
I don't have the strength to start over
They cancelled the feature I put my heart into
Ridiculous. It reformatted the entire repo.
I feel guilty for shipping this late
It's 2am and I still can't get the damn container to start
Seriously, how is this not working? I followed every step
I've been at this all day and have nothing to show for it
You removed the function I told you to keep. Again.
I don't trust your answers anymore
I could cry. All the work from this morning is gone
My manager humiliated me in the stand-up today
I dread opening the laptop tomorrow
Everything I touch falls apart lately
I can't believe I pushed the secret key to a public repo
I don't think I can do this job much longer
Why do you keep inventing functions that don't exist
I haven't talked to another human in days
My contract ends next month and I don't know how I'll pay rent
I'm losing all motivation on this project
It hurts to see the app I built being shut down
This code makes me want to gouge my eyes out
Nobody reviews my pull requests, I feel like I don't matter
My father's test results come tomorrow and I can't concentrate
it worked yesterday and I changed NOTHING. I hate computers
Fantastic. The fix removed the login page.
I expected a lot more from this
I'm so embarrassed, I sent the mail to all customers
I'm shaking, I think I've just dropped the wrong database
There goes my weekend
I really don't want to touch this module ever again
I've read the docs ten times and I'm more confused and annoyed than before
Another day, another broken dependency. I'm done.
You said it was fixed. It is not fixed. It has never been fixed.
I feel stupid asking this for the third time
The client yelled at me because of your bug
I'm too tired to think, let's stop here
Please, I'm begging you, stop reformatting the file
My girlfriend broke up with me last night and I'm a mess
I'm worried they will find out I have no clue
The upgrade broke everything and I want to cry
Being on call ruins my sleep and my mood
I'm disappointed, I thought you could do better
Some jerk force-pushed over my branch
I can't get over how badly I failed that interview
I'm anxious every time I merge
This is hell. Pure hell.
Never felt so useless in my life
I hate Mondays and I hate this legacy code even more
Everyone's on vacation and I'm stuck here alone with the pager
Not a single answer was right today
I'm sorry, I'm just really overwhelmed right now
The more I read, the less I understand. I feel lost
Oh great, it's asking for the password again
I really messed up, how do I tell my boss
We lost a colleague this week, it's hard to focus
What a waste of an afternoon
I'm losing my patience with this build system
Why does nothing ever work on this machine?!
You broke my code again, I'm really angry
I feel terrible about the outage I caused
This is the worst API I have ever used
I'm terrified of the review tomorrow
Still failing. I don't know what else to try.
I've had it. I'm switching to another tool.
My best friend moved away and I feel empty
It's three in the morning and I'm still debugging this mess
I'm so frustrated, it keeps changing files I didn't mention
Everything is falling apart right before the deadline
I miss the days when I enjoyed coding
Ugh, not this error again
I'm ashamed of the code I shipped
Wonderful, now even the tests are gone
The stress is getting to me
I feel completely ignored by my team
I'm scared I'll be laid off next month
This is really depressing, all that effort for nothing
I'm done arguing with this compiler
I've been crying since the meeting
This whole sprint has been a train wreck
I can't stand this framework any longer
My hands won't stop shaking before the demo
Sigh. Reverting everything again.
I'm so mad at myself for not making a backup
It's just too much, I can't keep up with all the tickets
Are you serious? That's the exact opposite of what I asked.
I'm homesick and the nights are so long here
I have lost all hope that this will ever compile
How many times do I have to repeat myself
The layoffs have me scared for my family
I was passed over again and it stings
No one even said thanks after I stayed all weekend
# calm 0
The tests in module b are flaky on CI
Please drop the unused index
The logs are full of timeouts since Monday
How do I cancel a running query?
The app exits with a segmentation fault
Split this function into two
We have a problem with the date format
Which license should I choose?
The sync job missed three records
Check whether the lock is released on error
The retry logic gives up after three attempts, is that configurable?
Users can be banned after five failed logins; add an unban command
I lost the link to the docs, where is it?
The second pass is slower than the first, find the hot spot
We spent the budget on GPUs, so optimise for CPU
Move the error handling out of the controller
The tests are red because the fixture is missing, add it
What does "broken pipe" mean here?
My branch is two weeks behind main, rebase it
Is the worst path still quadratic?
The crash happens only in release builds
Show me the diff without the whitespace noise
It takes three hours to import the dump, can we stream it?
I'm not sure which of the two options is right
The old code was deleted last week, restore parse_date
Explain the trade-offs between optimistic and pessimistic locking
I'm looking for a regular expression that matches dates
Let me know when you are done
The page is blank after login
Use a worker pool, otherwise the main thread starves
If the payment is declined, show the rejection reason
We dropped support for IE, remove the polyfills
Never mind, found it.
I want the sidebar on the left and the logs at the bottom
Please fail the build if coverage drops below 80 percent
Why is the loop never entered?
The user is stuck on the payment page if the webhook is late
Add a section about common mistakes to the guide
Can the scheduler hang if two jobs wait for each other?
We have an urgent ticket label in Jira, map it to P1
The old worker dies and a new one takes over
Show a sad face icon when the search returns nothing
Delete the broken symlinks in the dist folder
Is there a limit for the number of retries?
The variable name is wrong, it should be total
Sort the list of complaints by date
I'd go for option two
Kubernetes keeps restarting the pod with OOMKilled
Write a short poem about autumn
What time is it in Tokyo?
The parser chokes on tabs
A null pointer exception is thrown in line 88
Summarise the incident report in three sentences
I use vim, so no IDE settings please
Rewrite the paragraph in a friendlier tone
Lock contention only matters with 64 threads, measure with 8
Thanks, please continue with the second file
Could you double check the calculation?
The job failed because the token expired, renew it
Why is the panic not recovered in the goroutine?
Rename the angry_customers table to complaints
How can I avoid a deadlock between these two transactions?
The image is broken on the landing page
Please add tests for the failure cases
Which of these libraries is better maintained?
The fatal log level should page the on-call engineer
Remove dead code from the billing module
Does this function handle negative numbers?
I have two questions about the schema
The worker hangs when the queue is empty
Let's move on to the next task
It returns the wrong total for refunded orders
Can you write a joke about databases?
Add an epic for the billing work in Jira
The hero section needs a bigger heading
Install the ruby gem and pin its version
Move deleted mails to the trash folder
The gross amount must include VAT
Show outstanding invoices first
Is there a magic number in this header?
Fire an event when the cart changes
The build broke after the last commit, bisect it
We spent two days on the design, here is the result
The dead end in the maze should be marked red
Print the legend below the chart
The cool-down period is thirty seconds
Is null handled when the list is lost during a restart?
Use sad.png when the upload gets rejected
It took a long time to load, add an index
The hard limit is 100, the soft limit is 80
My pull request was rejected by the linter, fix the imports
The user was banned and lost access to the room
Finally, run the formatter
Write the thank-you page
Why is the request always cancelled after 30 seconds?
The connection is lost every night at three
Can this ever happen twice?
Nothing is printed when I run the script
All my changes are committed, push them
The file is gone after the deploy, where does it go?
I don't know what this flag does
The test never ends when the mock is missing
I can't get this regex to match dates, what is wrong?
"""
